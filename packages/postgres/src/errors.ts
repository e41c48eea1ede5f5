import { ConfigError, FlyballError } from 'flyball';
import { writeUncertain } from 'flyball/adapters/engine-kit';

interface Coded {
  readonly code?: string;
  readonly message?: string;
  readonly syscall?: string;
  readonly severity?: string;
}

/** Raised here, about the connection: not from the server and not for callers. */
export class LinkError extends Error {
  readonly code: 'NO_STANDBY' | 'NOT_PRIMARY' | 'STALLED' | 'UNCONFIRMED' | 'REPLACED' | 'IGNORES_SETTINGS' | 'CLOSED';
  constructor(code: LinkError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const codeOf = (error: unknown): string => (error as Coded | undefined)?.code ?? '';
export const saidBy = (error: unknown): string => (error as Coded | undefined)?.message ?? String(error);

/** The connection is gone, or leads to a server that is: the call may be made again over another one. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (isPooler(error) || isUnreadable(error)) return false;
  if (isPanic(error)) return true;
  // connection failures, shutdowns, timeouts that end the connection, too many connections
  if (/^(08|57P0|25P0[34]$)/.test(code) || code === '53300') return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|ENOENT|ENOTFOUND)/.test(code)) return true;
  if (['NOT_PRIMARY', 'STALLED', 'UNCONFIRMED', '25006'].includes(code)) return true;
  return /Connection terminated|not queryable|timeout expired|Connection ended/i.test(saidBy(error));
}

/**
 * The server stops, for want of room for its write-ahead log say. Unlike after other errors, what was sent may have been
 * written: the log is read again when it starts.
 */
export function isPanic(error: unknown): boolean {
  return (error as Coded | undefined)?.severity === 'PANIC';
}

/** Two transactions got into each other's way, or a standby is still on its way: nothing was written. */
export function isTransient(error: unknown): boolean {
  return ['NO_STANDBY', '40001', '40P01', '55P03'].includes(codeOf(error));
}

/** Of the schema or of a table in it. */
function isTableMissing(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error));
}

export function replaced(schema: string): LinkError {
  return new LinkError(
    'REPLACED',
    `A different database now answers at this address (schema ${schema}). Nothing was written to it. If this is intended, restart the process.`,
  );
}

/** Another database may have come in the place of the one that was opened. */
export function isReplaced(error: unknown): boolean {
  return isTableMissing(error) || codeOf(error) === 'REPLACED';
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** A column that a statement leaves empty where something is not as it has to be. */
export function emptyColumn(error: unknown): string | undefined {
  return codeOf(error) === '23502' ? (error as { readonly column?: string }).column : undefined;
}

/** A statement that is only for the database that was opened met another one: see `Identity.only`. */
export function isElsewhere(error: unknown): boolean {
  return ['ticket', 'worker'].includes(emptyColumn(error) ?? '');
}

/** What is between us and the server hands connections out by the statement. */
function isStatementPooler(error: unknown): boolean {
  return codeOf(error) === '08P01' && /statement pooling mode/.test(saidBy(error));
}

/** There is something between us and the server, which keeps nothing that a connection sets. */
function isPooler(error: unknown): boolean {
  return (
    isStatementPooler(error) ||
    (codeOf(error) === '08P01' && /unsupported startup parameter/.test(saidBy(error))) ||
    codeOf(error) === 'IGNORES_SETTINGS' ||
    codeOf(error) === '26000' ||
    codeOf(error) === '42P05'
  );
}

/** Whoever answers cannot show that it is the server, or does not speak TLS at all. */
function isUntrusted(error: unknown): boolean {
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^ERR_(TLS|SSL)_/.test(codeOf(error));
  return isCertificate || /does not support SSL/.test(saidBy(error));
}

/** A file that the address names, of a certificate say. Connections are read too, and reset while they are. */
function isUnreadable(error: unknown): boolean {
  return (
    ['open', 'read'].includes((error as Coded | undefined)?.syscall ?? '') &&
    !/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET)/.test(codeOf(error))
  );
}

/** The server asks for a password, and the driver has none to give. */
function isWithoutPassword(error: unknown): boolean {
  return codeOf(error) === '' && /^SASL: .*password must be/.test(saidBy(error));
}

/** The user, the password or the address are wrong: trying again changes nothing. */
export function isRefused(error: unknown): boolean {
  if (isUntrusted(error) || isUnreadable(error) || isWithoutPassword(error)) return true;
  return /^28/.test(codeOf(error)) || codeOf(error) === '3D000' || isPooler(error) || codeOf(error) === 'REPLACED';
}

interface Words {
  readonly when: (code: string, error: unknown) => boolean;
  readonly make: (said: string, options: { readonly cause: unknown }) => FlyballError;
}

/** What helps depends on what is refused. A server that speaks another language gets the advice for tables. */
function rightsFor(said: string): string {
  if (/\bdatabase\b/.test(said))
    return 'An administrator can run GRANT CREATE ON DATABASE … TO …, or create the schema: CREATE SCHEMA … AUTHORIZATION ….';
  return 'An administrator can make the user the owner of the schema and of each table in it (ALTER SCHEMA … OWNER TO …, ALTER TABLE … OWNER TO …). If the tables exist, these rights are enough: GRANT USAGE ON SCHEMA … TO …, and GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA … TO ….';
}

const WORDS: readonly Words[] = [
  {
    when: (_, error) => isStatementPooler(error),
    make: (said) =>
      new ConfigError(
        `This address belongs to a connection pooler in statement mode (${said}). Set it to transaction or session mode, or connect to PostgreSQL directly.`,
      ),
  },
  {
    when: (_, error) => isPooler(error),
    make: (said) =>
      new ConfigError(
        `This address belongs to a connection pooler (${said}). Set pooled: true (?pooled=true in the address), which works in its transaction and session modes, or connect to PostgreSQL directly.`,
      ),
  },
  {
    when: (code) => code === 'ERR_TLS_CERT_ALTNAME_INVALID',
    make: (said) =>
      new ConfigError(
        `The certificate of PostgreSQL is for another host name (${said}). Connect with a host name that is in the certificate, or issue a certificate for this one.`,
      ),
  },
  {
    when: (code) => code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID',
    make: (said) =>
      new ConfigError(
        `The certificate of PostgreSQL is not valid at this time (${said}). Renew it, or correct the clock of this machine.`,
      ),
  },
  {
    when: (_, error) => isUntrusted(error),
    make: (said) =>
      new ConfigError(
        /does not support SSL/.test(said)
          ? 'PostgreSQL does not offer TLS at this address. Turn TLS on in the server, or remove sslmode from the address.'
          : `The certificate of PostgreSQL cannot be verified (${said}). Add the certificate of its authority: ?sslrootcert=/path/ca.pem in the address, or tls: { ca } in code.`,
      ),
  },
  {
    when: (_, error) => isUnreadable(error),
    make: (said) =>
      new ConfigError(`A file that the address of PostgreSQL names cannot be read (${said}). Check the path.`),
  },
  {
    when: (_, error) => isWithoutPassword(error),
    make: () => new ConfigError('PostgreSQL requires a password. Add it to the address, or set PGPASSWORD.'),
  },
  {
    when: (code) => /^28/.test(code),
    make: (said) => new ConfigError(`PostgreSQL rejected the user or the password (${said}). Check the address.`),
  },
  {
    when: (code) => code === '3D000',
    make: (said) => new ConfigError(`The database does not exist (${said}). Create it, or check the address.`),
  },
  {
    when: (code) => code === 'REPLACED',
    make: (said, options) => new FlyballError('STORAGE_FAILED', said, options),
  },
  {
    when: (code) => code === '25006' || code === 'NOT_PRIMARY',
    make: (said, options) =>
      new FlyballError(
        'STORAGE_READ_ONLY',
        `PostgreSQL accepts no writes at this address: it is a replica, or it is set to read-only (${said}). Nothing was written. Add the address of the primary.`,
        { ...options, retryable: true },
      ),
  },
  {
    when: (code) => code === '42501',
    make: (said, options) =>
      new FlyballError(
        'STORAGE_READ_ONLY',
        `The database user lacks a privilege (${said}). Nothing was written. ${rightsFor(said)}`,
        options,
      ),
  },
  {
    when: (code) => code === '53100',
    make: (said, options) =>
      new FlyballError(
        'STORAGE_FULL',
        `The disk of PostgreSQL is full (${said}). Nothing was written, and committed data is safe. Free some space and try again.`,
        { ...options, retryable: true },
      ),
  },
  {
    when: (code, error) => isTableMissing(error) || code === '42703',
    make: (said, options) =>
      new FlyballError(
        'STORAGE_FAILED',
        `A table is missing or was changed (${said}). Nothing was written. Restore the schema from a backup. If you removed it on purpose, restart the process to create it again.`,
        options,
      ),
  },
  {
    when: (code) => code === '22021', // looked for somewhere as it was given: nothing that is stored has one
    make: (_, options) =>
      new FlyballError(
        'INPUT_INVALID',
        'A name or an id contains a NUL character, which PostgreSQL cannot store.',
        options,
      ),
  },
  {
    when: (code) => code === '57014',
    make: (said, options) =>
      new FlyballError(
        'STORAGE_BUSY',
        `A statement took longer than the timeout (${said}). Nothing was written. Try again. If it happens often, look for long transactions that hold locks, or raise statementMs.`,
        { ...options, retryable: true },
      ),
  },
  {
    when: (code) => code === 'NO_STANDBY',
    make: (said, options) =>
      new FlyballError(
        'STORAGE_BUSY',
        `${said} Nothing was written: a fail-over would lose confirmed records and repeat effects. Set synchronous_standby_names on the primary and start the standby, then try again.`,
        { ...options, retryable: true },
      ),
  },
  {
    when: (_, error) => isLost(error) || isTransient(error),
    make: (said, options) =>
      new FlyballError(
        'STORAGE_BUSY',
        `PostgreSQL does not respond (${said}). Nothing was written. Check that the server is running and that the address is right, and try again.`,
        {
          ...options,
          retryable: true,
        },
      ),
  },
];

/** Nobody can say whether a write was made, for this run if it was for one. */
export function uncertain(runId: string | undefined, error: unknown): FlyballError {
  if (runId !== undefined && !isPanic(error)) return writeUncertain(runId, error);
  const detail = runId === undefined ? {} : { runId };
  const write = runId === undefined ? 'The write' : `The write for run ${runId}`;
  const check = runId === undefined ? 'check what is stored' : 'check the run';
  const isFull = codeOf(error) === '53100';
  const [what, next] = !isPanic(error)
    ? ['PostgreSQL stopped responding during a write', 'Before you try again']
    : isFull
      ? ['PostgreSQL stopped because its disk is full', 'Free some space and start PostgreSQL again, then']
      : ['PostgreSQL stopped', 'Start PostgreSQL again, then'];
  return new FlyballError(
    'STORAGE_UNCERTAIN',
    `${what} (${saidBy(error)}). ${write} may or may not have happened. ${next}${isPanic(error) ? '' : ','} ${check}.`,
    { detail, cause: error },
  );
}

/**
 * The same once the engine is open: an address or a password that is wrong by then is no fault of whoever asks for something.
 */
export function servingError(error: unknown): Error {
  const found = storageError(error);
  return found instanceof ConfigError ? new FlyballError('STORAGE_FAILED', found.message, { cause: error }) : found;
}

/** What the driver or the server threw, in words of ours: what happened, and what to do next. */
export function storageError(error: unknown): Error {
  if (error instanceof FlyballError) return error;
  const options = { cause: error };
  const words = WORDS.find(({ when }) => when(codeOf(error), error));
  if (words !== undefined) return words.make(saidBy(error), options);
  return new FlyballError(
    'STORAGE_FAILED',
    `PostgreSQL returned an error: ${saidBy(error)} (${codeOf(error) || 'no code'}). Nothing was confirmed. The cause of this error has the details.`,
    options,
  );
}
