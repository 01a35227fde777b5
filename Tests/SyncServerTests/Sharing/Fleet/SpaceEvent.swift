import SyncEngine
import SyncServer
import WireFormats

/// An event of a request in one space, if its answer is to be believed, and when that can have been.
struct SpaceEvent: Sendable {
    let kind: Kind
    /// When the last byte of the request was sent.
    let from: ContinuousClock.Instant
    /// When its answer was there.
    let to: ContinuousClock.Instant
    /// Otherwise it may have been, and it may not.
    var isCertain = true
    /// For people, who only ask for it where something is wrong.
    let story: @Sendable () -> String

    /// Somebody's deed comes with who did it.
    enum Kind: Hashable, Sendable {
        case made(Subject)
        case invited(Subject, ID, SpaceRole)
        /// By an offer of the first role; the second is what the subject has then.
        case accepted(Subject, ID, SpaceRole, SpaceRole)
        /// An offer was void.
        case refused(ID)
        case changed(Subject, Subject, SpaceRole)
        case removed(Subject, Subject)
        /// Somebody who wanted to remove or change another was answered that there is no such member.
        case missed(Subject, Subject)
        /// The other would have left the space without an owner.
        case kept(Subject, Subject)
        case withdrew(Subject, ID)
        case sawMembers(Subject, [Subject: SpaceRole])
        case sawOffers(Subject, Set<ID>)
        /// A list of the subject's spaces, and if this one was among them.
        case sawSpace(Subject, Bool)
        case pushed(Subject, ID)
        /// All records that were pushed since the latest look into the database.
        case pulled(Subject, Set<ID>)
        case erased(Subject)
        /// The subject's account was erased; and whether this erased the space, where that is known.
        case went(Subject, Bool?)
        /// The account could not be, because others need the subject there.
        case needed(Subject)
    }

    /// Whose role it may change; `nil` for everybody's.
    var touched: Subject?? {
        switch kind {
        case .made(let subject), .accepted(let subject, _, _, _), .changed(_, let subject, _),
            .removed(_, let subject):
            .some(subject)
        case .went(let subject, false): .some(subject)
        case .erased, .went: .some(nil)
        case .invited, .refused, .missed, .kept, .withdrew, .sawMembers, .sawOffers, .sawSpace, .pushed, .pulled,
            .needed:
            nil
        }
    }
}
