import SourceFacts
import WireFormats

extension SnapshotReader {
    /// Returns a question about a class that a relationship of this version leads to, although only a later version
    /// lists it. This version may have had the class under another name.
    func question(
        of node: Int, reachedBy lead: (path: String, location: SourceLocation), in version: DraftSchema
    ) -> Question {
        let name = index.nodes[node].name
        return Question(
            .shape, at: lead.location,
            "‘\(lead.path)’ leads to ‘\(name)’, which ‘\(version.typeName ?? "")’ does not list and a later version "
                + "does: what did it lead to then?",
            choices: [
                .init("--git", "import again with it or with ‘--commits FILE’: what it was when this was the newest"),
                .init(
                    "take ‘\(name)’ out of here",
                    "it led to another model: let it lead there, and state ‘\(name)’ with its ‘originalName’ in the "
                        + "file of the later version"),
                .init("remove this", "to the same: devices of this version have ‘\(name)’, too"),
            ])
    }
}

extension SnapshotReader.Outsider {
    private var spelled: String {
        "‘\(path)’\(version.map { ", \($0)," } ?? "") is not in the app's plan ‘\(plan)’"
    }

    /// Returns a question that asks if this version was shipped, because the app's migration plan does not list it.
    ///
    /// - Parameter hasOlderStates: true if older snapshots of the sources were read. Their plan could have listed the
    ///   version.
    func question(hasOlderStates: Bool) -> Question {
        Question(
            .version, at: location, "\(spelled): was it shipped?",
            choices: [
                .init(
                    "remove this",
                    "it was not, or it is of another store, which is an app of its own: it stays left out"),
                hasOlderStates
                    ? .init("--commits FILE", "it was: import again, with a commit whose plan has it")
                    : .init("--git", "it was: import again with it, and it is what it was when a tag's plan had it"),
                .init("list it in the plan of the sources", "it was, and stands there as it was: import again"),
            ])
    }

    var note: String { "\(location): \(spelled): left out" }
}
