/// An XML file that belongs to an app's models, such as a version of a Core Data model, with its elements exactly as
/// they are written.
public struct DocumentFact: Codable, Hashable, Sendable {
    /// The file's path, such as `App.xcdatamodeld/App 2.xcdatamodel/contents`.
    public var file: String
    /// The root element.
    public var root: ElementFact

    /// Creates the facts about one XML file.
    public init(file: String, root: ElementFact) {
        self.file = file
        self.root = root
    }
}

/// An element of an XML file.
public struct ElementFact: Codable, Hashable, Sendable {
    /// The name as written, with a prefix if it has one.
    public var name: String
    /// The number of the line with the XML element's start tag. The file's first line is 1.
    public var line: Int
    /// The value of each attribute, by the attribute's name.
    public var attributes: [String: String]
    /// The text of the element outside of its child elements, trimmed; `nil` if there is none.
    public var text: String?
    /// The child elements, in their order.
    public var elements: [ElementFact]

    /// Creates the facts about one XML element.
    public init(
        name: String, line: Int, attributes: [String: String] = [:], text: String? = nil, elements: [ElementFact] = []
    ) {
        self.name = name
        self.line = line
        self.attributes = attributes
        self.text = text
        self.elements = elements
    }
}
