extension JSONNode {
    /// An array's elements, in order; `nil` if the node is not an array.
    package var elements: JSONElements? {
        guard document.tape.tag(index) == JSONTape.Tag.array else { return nil }
        return JSONElements(of: self)
    }

    /// An object's members, in the order in which they were written; `nil` if the node is not an object.
    package var members: JSONMembers? {
        guard document.tape.tag(index) == JSONTape.Tag.object else { return nil }
        return JSONMembers(of: self)
    }

    /// The value of the member with this key; `nil` if there is none, or if the node is not an object.
    ///
    /// O(m) in the number of the object's members. A key's bytes are compared only if its length is right. To read many
    /// keys, iterate once with a `JSONKeyTable`.
    package subscript(key: JSONKey) -> JSONNode? {
        guard let members else { return nil }
        return key.name.withUnsafeBufferPointer { name in
            var index = members.start
            while index < members.end {
                if document.tape.string(index, equals: name) { return JSONNode(document: document, index: index + 1) }
                index = document.tape.after(index + 1)
            }
            return nil
        }
    }

    package subscript(key: String) -> JSONNode? { self[JSONKey(key)] }
}

/// The elements of an array. Each step of an iteration is O(1), however large the element is.
package struct JSONElements: Sequence {
    @usableFromInline package let document: JSONDocument
    /// The index of the first element on the tape (the array of words into which the document was parsed).
    @usableFromInline package let start: Int
    /// The index after the last element on the tape (the array of words into which the document was parsed).
    @usableFromInline package let end: Int

    /// Makes the sequence of the elements of `node`, which must be an array.
    package init(of node: JSONNode) {
        document = node.document
        start = node.index + 1
        end = node.document.tape.after(node.index) - 1
    }

    /// The number of elements. O(1) below 16,777,215, the greatest number that the tape stores; O(n) from there on.
    package var count: Int { document.tape.childCount(start - 1) }

    package var isEmpty: Bool { start == end }

    /// Iterates over the elements in the order of the text.
    package struct Iterator: IteratorProtocol {
        @usableFromInline let document: JSONDocument
        @usableFromInline var index: Int
        @usableFromInline let end: Int

        @inlinable
        init(document: JSONDocument, index: Int, end: Int) {
            self.document = document
            self.index = index
            self.end = end
        }

        @inlinable
        package mutating func next() -> JSONNode? {
            guard index < end else { return nil }
            let element = JSONNode(document: document, index: index)
            index = document.tape.after(index)
            return element
        }
    }

    @inlinable package func makeIterator() -> Iterator { Iterator(document: document, index: start, end: end) }

    package var underestimatedCount: Int { count }
}

/// The members of an object, no two of which have the same key. Each step of an iteration is O(1), however large the
/// value is.
package struct JSONMembers: Sequence {
    @usableFromInline package let document: JSONDocument
    /// The index of the first member's key on the tape (the array of words into which the document was parsed).
    @usableFromInline package let start: Int
    /// The index after the last member's value on the tape (the array of words into which the document was parsed).
    @usableFromInline package let end: Int

    /// Makes the sequence of the members of `node`, which must be an object.
    package init(of node: JSONNode) {
        document = node.document
        start = node.index + 1
        end = node.document.tape.after(node.index) - 1
    }

    /// The number of members. O(1) below 16,777,215, the greatest number that the tape stores; O(n) from there on.
    package var count: Int { document.tape.childCount(start - 1) }

    package var isEmpty: Bool { start == end }

    /// Iterates over the members in the order of the text.
    package struct Iterator: IteratorProtocol {
        @usableFromInline let document: JSONDocument
        @usableFromInline var index: Int
        @usableFromInline let end: Int

        @inlinable
        init(document: JSONDocument, index: Int, end: Int) {
            self.document = document
            self.index = index
            self.end = end
        }

        @inlinable
        package mutating func next() -> JSONMember? {
            guard index < end else { return nil }
            let member = JSONMember(document: document, index: index)
            index = document.tape.after(index &+ 1)
            return member
        }
    }

    @inlinable package func makeIterator() -> Iterator { Iterator(document: document, index: start, end: end) }

    package var underestimatedCount: Int { count }
}

/// A member of an object: a key and its value.
package struct JSONMember {
    @usableFromInline let document: JSONDocument
    @usableFromInline let index: Int

    /// Makes the member whose key is at `index` on the tape (the array of words into which the document was parsed).
    @inlinable
    package init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    package var key: String { document.tape.string(index) }

    @inlinable package var value: JSONNode { JSONNode(document: document, index: index &+ 1) }

    /// True if the member has this key. Compares bytes; no `String` is made.
    package func hasKey(_ key: JSONKey) -> Bool {
        key.name.withUnsafeBufferPointer { document.tape.string(index, equals: $0) }
    }

    /// Calls `body` with the key's UTF-8 bytes, in which escapes are resolved, and returns the result of `body`.
    @inlinable
    package func withKeyUTF8<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(Span(_unsafeElements: document.tape.utf8(index)))
    }
}

extension JSONTape {
    /// The number of elements of the array, or of members of the object, that begins at `index`.
    func childCount(_ index: Int) -> Int {
        let counted = Int(words[index] >> 32 & 0xFF_FFFF)
        guard counted == 0xFF_FFFF else { return counted }
        let keyWords = tag(index) == Tag.object ? 1 : 0
        var count = 0
        var child = index + 1
        while child < after(index) - 1 {
            child = after(child + keyWords)
            count += 1
        }
        return count
    }
}
