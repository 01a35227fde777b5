extension JSONWriter {
    /// Returns the JSON text that `body` writes.
    package static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes a member of the current object; nothing if the value is `nil`.
    package mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    package mutating func member(_ name: String, _ value: Int64) {
        key(name)
        int(value)
    }

    package mutating func member(_ name: String, _ value: Int) { member(name, Int64(value)) }

    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a member of the current object whose value is an array; `body` writes each item.
    package mutating func member<Item>(
        _ name: String, each items: some Sequence<Item>, _ body: (inout JSONWriter, Item) -> Void
    ) {
        key(name)
        beginArray()
        for item in items { body(&self, item) }
        endArray()
    }

    /// Writes a member of the current object whose value is an array of texts.
    package mutating func member(_ name: String, _ texts: [String]) {
        member(name, each: texts) { $0.string($1) }
    }
}

/// Functions for members whose keys are known beforehand: the keys are written from prepared bytes.
extension JSONWriter {
    /// Writes a member of the current object; nothing if the value is `nil`.
    package mutating func member(_ name: JSONKey, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    package mutating func member(_ name: JSONKey, _ value: Int64) {
        key(name)
        int(value)
    }

    package mutating func member(_ name: JSONKey, _ value: Int) { member(name, Int64(value)) }

    package mutating func member(_ name: JSONKey, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a member of the current object whose value is an array; `body` writes each item.
    package mutating func member<Item>(
        _ name: JSONKey, each items: some Sequence<Item>, _ body: (inout JSONWriter, Item) -> Void
    ) {
        key(name)
        beginArray()
        for item in items { body(&self, item) }
        endArray()
    }

    /// Writes a member of the current object whose value is an array of texts.
    package mutating func member(_ name: JSONKey, _ texts: [String]) {
        member(name, each: texts) { $0.string($1) }
    }
}
