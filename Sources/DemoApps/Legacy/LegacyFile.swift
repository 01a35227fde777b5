import StrictJSON
import WireFormats

/// A JSON file that an app wrote. A row that is not JSON does not make the other rows invalid.
struct LegacyFile {
    let root: JSONNode
    /// The errors of faulty rows by row index, for each list in the order of `lists`; for a single list if the root is
    /// the list.
    private let faults: [[Int: JSONError]]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - lists: the members of the root that are lists of rows, if the root is not a list itself.
    ///   - original: the file's own bytes, if `bytes` were made from them: an error names its position in these.
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
                // Throws the same error with its position in the original file.
                if let original { _ = try JSONDocument(parsing: original) }
                throw error
            }
        }
    }

    /// Returns the reason for which a row is not JSON, so that it is read as null; `nil` if it is JSON.
    ///
    /// - Parameters:
    ///   - row: the index of the row in its list, from 0.
    ///   - list: the index of the list in `lists`.
    func fault(ofRow row: Int, in list: Int = 0) -> LegacyFault? {
        guard faults.indices.contains(list), let error = faults[list][row] else { return nil }
        return LegacyFault("The row is no JSON. Counted from its beginning: \(error)")
    }
}
