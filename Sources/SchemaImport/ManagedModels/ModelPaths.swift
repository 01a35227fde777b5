/// The paths of Core Data models that the user named for an import.
package struct ModelPaths: Sendable {
    /// True if the user named a Core Data model or one of its versions directly. False if the user named only a folder
    /// that contains it.
    let isNamed: Bool
    /// The folder names of the versions that the user named one by one, in the user's order. Empty if the user named no
    /// versions.
    let order: [String]

    package init(_ paths: [String] = []) {
        let names = paths.map { String($0.split(separator: "/").last ?? "") }
        order = names.filter { $0.hasSuffix(".xcdatamodel") }
        isNamed = !order.isEmpty || names.contains { $0.hasSuffix(".xcdatamodeld") }
    }
}
