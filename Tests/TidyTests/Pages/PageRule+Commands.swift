extension PageRule {
    static let tests = PageRule(
        "A test that a page names is there",
        broken: [
            "`MergeTests/noSuchTest`", "`NoTests/aTest`", "`script/test --filter NoTests`",
            "```sh\nx --filter NoTests\n```",
        ],
        sound:
            "`TidyTests/theTreeIsSeen`, `--filter TidyTests`, `--filter TidyTests/theTreeIsSeen`, `Tests/TidyTests`",
        in: \.code
    ) { passage, _ in
        let words = passage.text.split { " '\"|(),".contains($0) }.map(String.init)
        return words.indices.compactMap { index in
            let word = words[index]
            if index > 0, words[index - 1] == "--filter" {
                let isThere =
                    SourceNames.ofTree.tests.contains(word) || SourceNames.ofTree.types.contains(word)
                    || TreeNames.ofTree.contains("Tests/\(word)")
                return isThere ? nil : (word, "‘--filter \(word)’ finds no test")
            }
            let parts = word.split(separator: "/")
            guard parts.count == 2, parts[0].hasSuffix("Tests"), parts[0] != "Tests", isName(parts[1]) else {
                return nil
            }
            let isThere = SourceNames.ofTree.tests.contains(word) || TreeNames.ofTree.tails.contains(word)
            return isThere ? nil : (word, "there is no test ‘\(word)’")
        }
    }

    static let scripts = PageRule(
        "A script that a page names is there",
        broken: ["`script/none`", "```sh\ncd a && deploy/none.sh\n```", "`.ci/none`"],
        sound: "`script/test`, `../script/none`, `deploy/`, `deploy/README.md`; `.ci/run x`", in: \.code
    ) { passage, _ in
        passage.text.split { " '\"|();=,".contains($0) }.compactMap { word in
            guard ["script/", "deploy/", ".ci/"].contains(where: { word.hasPrefix($0) }), !word.contains("…") else {
                return nil
            }
            let path = word.split(separator: "/").joined(separator: "/")
            return TreeNames.ofTree.contains(path) ? nil : (path, "there is no ‘\(path)’")
        }
    }

    static let options = PageRule(
        "An option that a page names is a command's or a script's",
        broken: ["`--nonsense`", "```sh\nx --nonsense=1\n```", "`serve [--nonsense]`"],
        sound: "`--app`, `a--b`, `--`", in: \.code
    ) { passage, _ in
        optionNames(in: passage.text).filter { !SourceNames.ofTree.options.contains($0) }
            .map { ("--\($0)", "no command and no script has ‘--\($0)’") }
    }

    /// Returns the names after two dashes at the beginning of a word.
    static func optionNames(in text: String) -> [String] {
        text.split { " '\"|()[],=…\u{2018}\u{2019}".contains($0) }.compactMap { word in
            guard word.hasPrefix("--"), word.dropFirst(2).first?.isLowercase == true else { return nil }
            return String(word.dropFirst(2).prefix { $0.isLetter || $0.isNumber || $0 == "-" })
        }
    }
}
