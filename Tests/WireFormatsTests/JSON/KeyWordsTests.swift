import Testing

@testable import StrictJSON
@testable import WireFormats

struct KeyWordsTests {
    private func words(_ bytes: [UInt8]) -> KeyWords { bytes.withUnsafeBufferPointer { KeyWords($0) } }

    /// Returns bytes that all differ, so that a byte read from the wrong index is noticed.
    private func key(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(0x41 + $0) } }

    @Test(arguments: 0...KeyWords.wholeMax)
    func aKeyOfSixteenBytesAtMostIsAllInItsWords(count: Int) {
        let key = key(count)
        #expect(words(key) == words(key))
        for index in key.indices {
            var other = key
            other[index] ^= 0x20
            #expect(words(other) != words(key), "byte \(index) of \(count)")
        }
    }

    @Test func keysOfDifferentLengthsDiffer() {
        let all = (0...24).map { words(key($0)) } + (1...24).map { words(Array(repeating: 0, count: $0)) }
        for (index, one) in all.enumerated() {
            for other in all[(index + 1)...] { #expect(one != other) }
        }
    }

    @Test func aTableTellsLongKeysApartThatDifferInTheMiddle() throws {
        let names = ["lastModificationAtUTC", "lastModificatiEnAtUTC", "lastModXficationAtUTC"]
        let table = JSONKeyTable(names)
        for (index, name) in names.enumerated() { #expect(table.position(of: name.utf8Span.span) == index) }
        #expect(table.position(of: "lastModYficationAtUTC".utf8Span.span) == nil)
    }

    /// Keys of the kind that passes the filter of `JSONTape.firstFault` most often: their bits must differ.
    @Test func similarKeysHaveDifferentHashes() {
        let names = (0..<512).map { Array("attribute\($0)".utf8) } + (0..<256).map { [UInt8($0)] }
        #expect(Set(names.map { words($0).hash & 0xFFF }).count > names.count * 3 / 4)
        #expect(Set(names.map { words($0).hash }).count == names.count)
    }
}
