import Foundation

/// The spaces and the devices in them. The devices of a space have consecutive numbers.
struct Population {
    /// The number of the first device of each space, and the number of all devices at the end.
    private let firstDevice: [UInt32]
    private let spaceOfDevice: [UInt32]

    /// The shares of spaces with one, two and three devices of one person. The rest are shared spaces.
    private static let personalShares = [0.49, 0.30, 0.20]
    /// The least and the greatest number of devices in a shared space; the logarithm is evenly distributed.
    private static let sharedSizes = (least: 4.0, greatest: 30.0)

    init(devices: Int, random: inout RandomSource) {
        var (first, spaces): ([UInt32], [UInt32]) = ([], [])
        spaces.reserveCapacity(devices)
        while spaces.count < devices {
            let size = min(Population.size(&random), devices - spaces.count)
            for _ in 0..<size { spaces.append(UInt32(first.count)) }
            first.append(UInt32(spaces.count - size))
        }
        firstDevice = first + [UInt32(devices)]
        spaceOfDevice = spaces
    }

    var devicesCount: Int { spaceOfDevice.count }
    var spacesCount: Int { firstDevice.count - 1 }

    func space(of device: Int) -> Int { Int(spaceOfDevice[device]) }

    func devices(of space: Int) -> Range<Int> { Int(firstDevice[space])..<Int(firstDevice[space + 1]) }

    private static func size(_ random: inout RandomSource) -> Int {
        var left = random.unit()
        for (index, share) in personalShares.enumerated() {
            if left < share { return index + 1 }
            left -= share
        }
        let ratio = sharedSizes.greatest / sharedSizes.least
        return Int(sharedSizes.least * pow(ratio, random.unit()))
    }
}
