/// A kind of XML file that is read, by its name and that of its folder.
enum DocumentKind {
    /// A version of a Core Data model: `App 2.xcdatamodel/contents`.
    case model
    /// Which version of a Core Data model is the current one: `App.xcdatamodeld/.xccurrentversion`.
    case currentVersion
    /// The mapping of one version to another: `From1To2.xcmappingmodel/xcmapping.xml`.
    case mapping

    init?(_ path: String) {
        let parts = path.split(separator: "/")
        guard let name = parts.last, let folder = parts.dropLast().last else { return nil }
        switch name {
        case "contents" where folder.hasSuffix(".xcdatamodel"): self = .model
        case ".xccurrentversion" where folder.hasSuffix(".xcdatamodeld"): self = .currentVersion
        case "xcmapping.xml" where folder.hasSuffix(".xcmappingmodel"): self = .mapping
        default: return nil
        }
    }

    /// True of a folder that people see as one thing.
    static func isBundle(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return [".xcdatamodeld", ".xcdatamodel", ".xcmappingmodel"].contains { name.hasSuffix($0) }
    }
}
