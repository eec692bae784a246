public import DiscoverableCore

/// The messages that a session receives, until it is over and all are taken.
///
/// Any number of consumers may iterate, each gets every message from its first on; the first also gets those that came
/// before it. A consumer that stops leaves what it has not taken to the next. When `maximumUnreadMessages` wait for the
/// slowest, further messages are not acknowledged and are lost, so that their sender learns about it. Cancelling ends the
/// iteration and loses no message.
public typealias SessionMessages = EventSequence<String>

/// What happens in a session, in order, until it is over.
///
/// Any number of consumers may iterate, each gets every event from its first on; the first also gets those that came
/// before it, from the session's beginning, but for messages that others have taken out of `messages` by then. For a slow one the
/// newest 1,024 wait. An app that follows the events only has its messages there: when `maximumUnreadMessages` events wait, further
/// messages are not acknowledged. Cancelling ends the iteration.
public typealias SessionEvents = EventSequence<SessionEvent>

/// The sessions that a listener admits, until it is closed.
///
/// One consumer is usual; of several each gets every session, also one that is over by then. Twice as many as `maximumSessions` wait
/// for a slow one; then no further clients are admitted. Only a session that was displaced unseen is never given. Cancelling ends
/// the iteration and loses no session.
public typealias IncomingSessions = EventSequence<Session>
