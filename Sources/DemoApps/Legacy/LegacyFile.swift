import WireFormats

/// A JSON file that an app wrote, in which a row that is no JSON by itself is no fault of the others.
struct LegacyFile {
    let root: JSONNode
    /// The rows of each list, in the order in which they were named; one list alone where the root is it.
    private let faults: [[Int: JSONError]]

    /// - Parameters:
    ///   - lists: the members of the root that are lists of rows, where it is none itself.
    ///   - original: the bytes of the file, where `bytes` were made of them: what is wrong with the file is told by its
    ///     place there.
    init(_ bytes: [UInt8], lists: [String], original: [UInt8]? = nil) throws(LegacyFault) {
        (root, faults) = try LegacyFault.wrapping { () throws(JSONError) in
            do throws(JSONError) {
                return (try JSONDocument(parsing: bytes).root, [])
            } catch {
                if let salvage = JSONSalvage(ofRootOr: lists, in: bytes),
                    let document = try? JSONDocument(parsing: salvage.bytes)
                {
                    return (document.root, salvage.faultsOfArrays)
                }
                // The same fault, at its place in the file as it is.
                if let original { _ = try JSONDocument(parsing: original) }
                throw error
            }
        }
    }

    /// Why a row is no JSON, for which null stands; `nil` where it is.
    ///
    /// - Parameters:
    ///   - row: its place in the list, from 0.
    ///   - list: the list's place among those that were named.
    func fault(ofRow row: Int, in list: Int = 0) -> LegacyFault? {
        guard faults.indices.contains(list), let error = faults[list][row] else { return nil }
        return LegacyFault("The row is no JSON. Counted from its beginning: \(error)")
    }
}
