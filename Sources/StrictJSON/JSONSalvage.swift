/// A copy of a JSON text in which null replaces each faulty element of an array, so that the other elements can be
/// read. For example, half of a surrogate pair in one change does not invalidate a push of a thousand changes.
///
/// Only an element that is an object is replaced, and only if its brackets, quotes, colons and commas are in order.
/// Otherwise the end of the element is unknown. Faults outside of the array are not repaired.
package struct JSONSalvage {
    /// The JSON text in which null replaces each faulty element.
    package let bytes: [UInt8]
    /// The errors of the faulty elements in the first (or only) array, by element index. The offset in an error counts
    /// bytes from the element's start.
    package var faults: [Int: JSONError] { faultsOfArrays[0] }
    /// The errors of the faulty elements: for each array that was examined, the errors by element index.
    package let faultsOfArrays: [[Int: JSONError]]

    /// Makes a copy of `bytes` in which null replaces each faulty element of one array. The array is a member of the
    /// root object. The result is `nil` if no element can be replaced.
    ///
    /// O(n): each element is parsed once more, by itself.
    ///
    /// - Parameters:
    ///   - member: the key of the array in the root object.
    ///   - elementsMax: the maximum number of elements. In an array with more, no element is replaced.
    package init?(
        ofMember member: String, in bytes: [UInt8], elementsMax: Int, limits: JSONDocument.Limits
    ) {
        var outline = JSONOutline(bytes)
        guard let elements = outline.elements(ofMember: member, countMax: elementsMax) else { return nil }
        self.init(of: [elements], in: bytes, limits: limits, depth: 2)
    }

    /// Makes a copy of `bytes` in which null replaces each faulty element of the root, if the root is an array.
    /// Otherwise null replaces the faulty elements of each array that is a member of the root and listed in `members`.
    /// The result is `nil` if no element can be replaced.
    ///
    /// `faultsOfArrays` has one entry for the root, or one for each of `members`, in their order. The entry of a
    /// missing member is empty.
    package init?(ofRootOr members: [String], in bytes: [UInt8], limits: JSONDocument.Limits = JSONDocument.Limits()) {
        var outline = JSONOutline(bytes)
        if let elements = outline.elementsOfRoot() {
            self.init(of: [elements], in: bytes, limits: limits, depth: 1)
            return
        }
        let arrays = members.map { member in
            var outline = JSONOutline(bytes)
            return outline.elements(ofMember: member, countMax: .max) ?? []
        }
        self.init(of: arrays, in: bytes, limits: limits, depth: 2)
    }

    /// Makes a copy of `bytes` in which null replaces each faulty element of the given arrays. The result is `nil` if
    /// no element is faulty.
    ///
    /// - Parameters:
    ///   - arrays: for each array, the byte ranges of its elements.
    ///   - depth: the number of arrays and objects around each element, which count towards the limit of depth.
    private init?(of arrays: [[Range<Int>]], in bytes: [UInt8], limits: JSONDocument.Limits, depth: Int) {
        let limits = JSONDocument.Limits(bytesMax: limits.bytesMax, depthMax: max(0, limits.depthMax - depth))
        var faults = arrays.map { _ in [Int: JSONError]() }
        var bad: [Range<Int>] = []
        for (array, elements) in arrays.enumerated() {
            for (index, element) in elements.enumerated() where bytes[element.lowerBound] == UInt8(ascii: "{") {
                guard let fault = JSONSalvage.fault(bytes[element], limits) else { continue }
                faults[array][index] = fault
                bad.append(element)
            }
        }
        if bad.isEmpty { return nil }
        var mended: [UInt8] = []
        mended.reserveCapacity(bytes.count)
        var end = 0
        for element in bad.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            mended += bytes[end..<element.lowerBound]
            mended += Array("null".utf8)
            end = element.upperBound
        }
        mended += bytes[end...]
        (self.bytes, faultsOfArrays) = (mended, faults)
    }

    private static func fault(_ bytes: ArraySlice<UInt8>, _ limits: JSONDocument.Limits) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONDocument(parsing: Array(bytes), limits: limits)
            return nil
        } catch {
            return error
        }
    }
}

/// Finds the beginnings and ends of the values in a text by its brackets, quotes, colons and commas. The contents of
/// strings and numbers are not checked, and nothing is limited except the number of elements.
private struct JSONOutline {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte ranges of the elements of the array that is the value of a member of the root object. `nil` if the
    /// text's brackets do not match up to the array's end, if there is no such array, or if it has too many elements.
    mutating func elements(ofMember member: String, countMax: Int) -> [Range<Int>]? {
        guard take(UInt8(ascii: "{")) else { return nil }
        while let key = key() {
            // A key may be written with escapes.
            guard let name = try? JSONDocument(parsing: Array(bytes[key])).root.string else { return nil }
            skipSpace()
            if name == member { return byte == UInt8(ascii: "[") ? elements(countMax: countMax) : nil }
            guard skipValue(), take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    /// The byte ranges of the elements of the root. `nil` if the root is not an array, or if its brackets do not match.
    mutating func elementsOfRoot() -> [Range<Int>]? {
        skipSpace()
        return byte == UInt8(ascii: "[") ? elements(countMax: .max) : nil
    }

    private mutating func elements(countMax: Int) -> [Range<Int>]? {
        offset += 1
        var found: [Range<Int>] = []
        repeat {
            skipSpace()
            let start = offset
            guard found.count < countMax, skipValue() else { return nil }
            found.append(start..<offset)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? found : nil
    }

    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// Skips white space, and then the next byte if it equals `expected`. Returns true if that byte was skipped.
    private mutating func take(_ expected: UInt8) -> Bool {
        skipSpace()
        guard byte == expected else { return false }
        offset += 1
        return true
    }

    /// Reads a key and the colon after it.
    ///
    /// - Returns: the byte range of the key, with its quotes; `nil` if no key with a colon follows.
    private mutating func key() -> Range<Int>? {
        skipSpace()
        let start = offset
        guard skipString() else { return nil }
        let end = offset
        return take(UInt8(ascii: ":")) ? start..<end : nil
    }

    private mutating func skipString() -> Bool {
        guard byte == UInt8(ascii: "\"") else { return false }
        offset += 1
        while let byte, byte != UInt8(ascii: "\"") { offset += byte == UInt8(ascii: "\\") ? 2 : 1 }
        offset += 1
        return offset <= bytes.count
    }

    /// Skips a value with everything that is nested in it. No recursion is needed, so that any depth is possible.
    /// Returns false if the brackets, quotes, colons or commas are not those of a value.
    private mutating func skipValue() -> Bool {
        // The closing byte that each open container needs, outermost first.
        var closings: [UInt8] = []
        repeat {
            skipSpace()
            switch byte {
            case UInt8(ascii: "{"):
                offset += 1
                closings.append(UInt8(ascii: "}"))
                if take(UInt8(ascii: "}")) {
                    closings.removeLast()
                } else if key() == nil {
                    return false
                } else {
                    continue
                }
            case UInt8(ascii: "["):
                offset += 1
                closings.append(UInt8(ascii: "]"))
                if take(UInt8(ascii: "]")) { closings.removeLast() } else { continue }
            case UInt8(ascii: "\""): if !skipString() { return false }
            default: if !skipWord() { return false }
            }
            while let closing = closings.last {
                if take(closing) {
                    closings.removeLast()
                } else if take(UInt8(ascii: ",")) {
                    if closing == UInt8(ascii: "}"), key() == nil { return false }
                    break
                } else {
                    return false
                }
            }
        } while !closings.isEmpty
        return true
    }

    /// Skips a number or a literal (`true`, `false`, `null`), or any other run of letters, digits, signs and points.
    /// Returns false if there is none.
    private mutating func skipWord() -> Bool {
        let start = offset
        while let byte, JSONOutline.isOfWord(byte) { offset += 1 }
        return offset > start
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
