/** What somebody needs who writes an engine or a store of their own: how to refuse in the common words, and how to chain. */
export { readAnnouncement } from '../../core/announcement.js';
export { canonicalJson } from '../../core/canonical.js';
export {
  alreadyTerminal,
  cursorNumber,
  heldByAnother,
  linkDangling,
  positionTaken,
  proposalUnknown,
  recordOvertaken,
  runDamaged,
  runExists,
  runKept,
  runNotFound,
  staleClaim,
  writeUncertain,
} from '../../core/engine-errors.js';
export type { ForkPoint, Owner } from '../../core/events.js';
export { nextOperation, type Operation, type StoredOperation, type Tombstone } from '../../core/operations.js';
export { hasFields } from '../../core/record-fields.js';
export { inTurns } from '../../core/turns.js';
export { workedUnseen } from '../../core/unseen-work.js';
export type {
  AnnouncedWorker,
  Announcement,
  Batch,
  Claim,
  ClaimRequest,
  Collected,
  DueQuery,
  HoldChange,
  InboxMessage,
  NewRun,
  OpenWait,
  Posted,
  QueueLine,
  Rest,
  RunCounts,
  RunFilter,
  RunPage,
  SignOfLife,
  StorageSize,
  StoredEntry,
  StoredLink,
  StoredMessage,
  Taker,
  WholeRun,
} from '../../ports/engine.js';
