/// An XML file that belongs to an app's models, such as a version of a Core Data model: its elements as they are
/// written.
public struct DocumentFact: Codable, Hashable, Sendable {
    /// `App.xcdatamodeld/App 2.xcdatamodel/contents`
    public var file: String
    public var root: ElementFact

    public init(file: String, root: ElementFact) {
        self.file = file
        self.root = root
    }
}

/// An element of an XML file.
public struct ElementFact: Codable, Hashable, Sendable {
    public var name: String
    /// Where it begins, from 1.
    public var line: Int
    public var attributes: [String: String]
    /// What is written in it beside other elements, without the spaces around; `nil` for nothing.
    public var text: String?
    public var elements: [ElementFact]

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
