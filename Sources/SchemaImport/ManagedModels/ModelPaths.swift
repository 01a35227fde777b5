/// What whoever imports has named of Core Data models.
package struct ModelPaths: Sendable {
    /// Whether a model is named itself, and not only a folder that has one.
    let isNamed: Bool
    /// The versions' folders, where each is named by itself: in the order that they stand in.
    let order: [String]

    package init(_ paths: [String] = []) {
        let names = paths.map { String($0.split(separator: "/").last ?? "") }
        order = names.filter { $0.hasSuffix(".xcdatamodel") }
        isNamed = !order.isEmpty || names.contains { $0.hasSuffix(".xcdatamodeld") }
    }
}
