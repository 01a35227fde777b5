internal import Foundation
package import SourceFacts

package import struct SourceFacts.SourceLocation

#if canImport(FoundationXML)
    internal import FoundationXML
#endif

/// Reads the XML files of models.
package enum DocumentReader {
    /// Reads the elements of a text. Its problems have `name` as their file.
    package static func facts(text: String, name: String) -> SourceFacts {
        let reading = ElementReading(isMapping: DocumentKind(name) == .mapping)
        if let root = reading.read(text) {
            var facts = SourceFacts(files: [name])
            facts.documents = [DocumentFact(file: name, root: root)]
            return facts
        }
        let (line, message) = reading.failure ?? (0, "The file has no element: restore it, or remove its folder.")
        return SourceFacts(
            problems: [SourceFacts.Problem(location: SourceLocation(file: name, line: line), message: message)])
    }
}

/// Reads the elements of one XML file without external resources: nothing is fetched and no entity is expanded. A file
/// that declares entities is rejected.
final class ElementReading: NSObject {
    /// The maximum nesting of elements, far more than a model has: its elements nest five levels deep.
    static let depthMax = 16
    /// The maximum number of elements, far more than the largest model has, and few enough to be read quickly.
    static let elementsMax = 200_000

    private let isMapping: Bool
    /// The elements around the current position, outermost first.
    private var open: [ElementFact] = []
    private var root: ElementFact?
    private var count = 0
    /// The error at which reading stopped, and its line.
    private(set) var failure: (line: Int, message: String)?

    init(isMapping: Bool) { self.isMapping = isMapping }

    /// Returns the outermost element; `nil` if there is none, or if the text is rejected: see `failure`.
    func read(_ text: String) -> ElementFact? {
        guard let plain = ElementReading.withoutProlog(text) else {
            failure = (1, "The file declares entities, and no model does: take its ‘<!DOCTYPE …>’ out.")
            return nil
        }
        let parser = XMLParser(data: Data(plain.utf8))
        parser.shouldResolveExternalEntities = false
        parser.delegate = self
        // Some errors are reported only to the delegate.
        if !parser.parse() || parser.parserError != nil { noteError(parser) }
        return failure == nil ? root : nil
    }

    private func noteError(_ parser: XMLParser) {
        guard failure == nil else { return }
        failure = (
            parser.lineNumber, "The file is no XML that can be read from here on: restore it, or correct it there."
        )
    }

    /// Returns the text with its prolog replaced by spaces: the encoding, which is known to be UTF-8, and the name of a
    /// document type, which must not be looked up. `nil` if the document type has declarations.
    private static func withoutProlog(_ text: String) -> String? {
        var rest = Substring(text)
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        var plain = ""
        for (start, isWhole) in [("<?xml", true), ("<!DOCTYPE", false)] {
            guard let found = rest.firstRange(of: start), isWhole ? found.lowerBound == rest.startIndex : true,
                let end = rest[found.lowerBound...].firstIndex(of: ">")
            else { continue }
            let declared = rest[found.lowerBound...end]
            guard isWhole || !declared.contains("[") else { return nil }
            plain += rest[..<found.lowerBound] + declared.filter(\.isNewline)
            rest = rest[rest.index(after: end)...]
        }
        return rest.contains("<!DOCTYPE") ? nil : plain + rest
    }

    private func stop(_ parser: XMLParser, _ message: String) {
        if failure == nil { failure = (parser.lineNumber, message) }
        parser.abortParsing()
    }
}

extension ElementReading: XMLParserDelegate {
    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        count += 1
        if open.count >= ElementReading.depthMax {
            return stop(parser, "The file nests more than \(ElementReading.depthMax) elements: no model does.")
        }
        if count > ElementReading.elementsMax {
            return stop(parser, "The file has more than \(ElementReading.elementsMax) elements: no model has.")
        }
        open.append(ElementFact(name: name, line: parser.lineNumber, attributes: attributes))
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { noteError(parser) }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        guard !open.isEmpty, failure == nil else { return }
        open[open.count - 1].text = (open[open.count - 1].text ?? "") + text
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard failure == nil, var element = open.popLast() else { return }
        let text = element.text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        element.text = text.isEmpty ? nil : text
        if open.isEmpty {
            root = element
        } else if !isMapping || ElementReading.isTelling(element) {
            open[open.count - 1].elements.append(element)
        }
    }

    /// True for the elements of a mapping that name its models and its code. The other elements of a mapping take
    /// megabytes.
    private static func isTelling(_ element: ElementFact) -> Bool {
        let name = element.attributes["name"] ?? ""
        return !element.elements.isEmpty
            || element.name == "attribute"
                && ["sourcemodelpath", "destinationmodelpath", "migrationpolicyclassname"].contains(name)
    }
}
