package import HTTPServer
package import SyncEngine

extension Grant {
    /// The holder whose share of the server's budgets the subject's requests take.
    package var holder: Holder { Holder(shareName) }
}
