internal import StrictJSON

/// Access to a parse tree in libpg_query's JSON form. A node is an object with one member, named for its kind; members
/// that are false, 0 or absent are left out.
extension JSONNode {
    /// The node's kind: `CreateStmt` of `{"CreateStmt": {…}}`.
    var tag: String { members.flatMap { Array($0).first }?.key ?? "" }

    /// The content of a node, whatever its kind.
    var body: JSONNode { members.flatMap { Array($0).first }?.value ?? self }

    func text(_ key: JSONKey) -> String? { self[key]?.string }

    func flag(_ key: JSONKey) -> Bool { self[key]?.bool ?? false }

    func list(_ key: JSONKey) -> [JSONNode] { self[key]?.elements.map { Array($0) } ?? [] }

    func has(_ key: JSONKey) -> Bool { self[key] != nil }

    /// Returns the texts of the `String` nodes in the list `key`, such as the parts of a name.
    func words(_ key: JSONKey) -> [String] { list(key).compactMap(\.word) }

    /// The text of a `String` node.
    var word: String? { self["String"].map { $0.text("sval") ?? "" } }

    /// The text of a string constant, also inside a cast.
    var constant: String? {
        if let cast = self["TypeCast"] { return cast["arg"]?.constant }
        return self["A_Const"]?["sval"].map { $0.text("sval") ?? "" }
    }

    /// Calls `visit` with this node and everything below, outermost first. The parser's limit bounds the recursion.
    func forEachNode(_ visit: (JSONNode) -> Void) {
        visit(self)
        if let members {
            for member in members { member.value.forEachNode(visit) }
        } else if let elements {
            for element in elements { element.forEachNode(visit) }
        }
    }

    /// Returns true if this node, or one below, satisfies `isWanted`.
    func contains(_ isWanted: (JSONNode) -> Bool) -> Bool {
        var isFound = false
        forEachNode { node in if !isFound, node.members != nil { isFound = isWanted(node) } }
        return isFound
    }

    /// Returns the contents of all nodes of the kind `tag` in this subtree.
    func all(_ tag: JSONKey) -> [JSONNode] {
        var found: [JSONNode] = []
        forEachNode { node in if let match = node[tag], match.members != nil { found.append(match) } }
        return found
    }
}
