/// A text with one bad value in an array, made readable: each element of the array that is an object by its brackets,
/// quotes, colons and commas, and is no JSON all the same, becomes null.
///
/// So one of a thousand changes with half of an emoji in it does not take the others along. What is wrong with the
/// brackets, or outside of the array, is not mended: nobody could say then where an element ends.
package struct JSONSalvage {
    /// The text with null for each element that is at fault.
    package let bytes: [UInt8]
    /// The error of each of them, by its place in the array; offsets count from the element's start.
    package let faults: [Int: JSONError]

    /// `nil` where nothing of the kind is wrong.
    ///
    /// O(n): each element is read once more by itself.
    ///
    /// - Parameters:
    ///   - member: the key of the root object's member that is the array.
    ///   - elementsMax: the most elements that are looked at.
    package init?(
        ofMember member: String, in bytes: [UInt8], elementsMax: Int, limits: JSONDocument.Limits
    ) {
        var outline = JSONOutline(bytes)
        guard let elements = outline.elements(ofMember: member, countMax: elementsMax) else { return nil }
        // The array and the root are two levels.
        let limits = JSONDocument.Limits(bytesMax: limits.bytesMax, depthMax: max(0, limits.depthMax - 2))
        var faults: [Int: JSONError] = [:]
        var mended: [UInt8] = []
        mended.reserveCapacity(bytes.count)
        var end = 0
        for (place, element) in elements.enumerated() {
            guard bytes[element.lowerBound] == UInt8(ascii: "{"), let fault = JSONSalvage.fault(bytes[element], limits)
            else { continue }
            faults[place] = fault
            mended += bytes[end..<element.lowerBound]
            mended += Array("null".utf8)
            end = element.upperBound
        }
        if faults.isEmpty { return nil }
        mended += bytes[end...]
        (self.bytes, self.faults) = (mended, faults)
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

/// Where the values of a text begin and end, by its brackets, quotes, colons and commas. What is in strings and numbers
/// is not looked at, and nothing is limited but the number of elements.
private struct JSONOutline {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The places of the elements of the array that is the value of a member of the root object; `nil` where the text
    /// is none by its brackets up to the array's end, has no such array, or one with more elements.
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

    /// Passes the next byte that is no white space if it is this one; returns whether it was.
    private mutating func take(_ expected: UInt8) -> Bool {
        skipSpace()
        guard byte == expected else { return false }
        offset += 1
        return true
    }

    /// Reads a key and its colon.
    ///
    /// - Returns: where the key stands, with its quotes.
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

    /// Skips a value with all that is in it, however deep: nothing recurs.
    private mutating func skipValue() -> Bool {
        // What each container that is open needs to close, outermost first.
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

    /// Skips a number or a literal, or what looks like one.
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
