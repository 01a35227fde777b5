/// The kind of an XML file that is read, determined by its name and its folder's name.
enum DocumentKind {
    /// A version of a Core Data model: `App 2.xcdatamodel/contents`.
    case model
    /// The name of a Core Data model's current version: `App.xcdatamodeld/.xccurrentversion`.
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

    /// True for a folder that Finder shows as a single file.
    static func isBundle(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return [".xcdatamodeld", ".xcdatamodel", ".xcmappingmodel"].contains { name.hasSuffix($0) }
    }
}
