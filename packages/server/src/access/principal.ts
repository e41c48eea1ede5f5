/** What a route asks for. A principal may hold more than these: approvals name scopes of their own. */
export const SCOPES = {
  'agents:read': 'see agents, tools, skills and evaluations',
  'agents:invoke': 'start runs and conversations',
  'runs:read': 'see the runs and conversations that you started',
  'runs:control': 'cancel, pause, resume, signal, redirect and fork the runs that you started',
  'runs:all': 'access the runs of everybody in the tenant, with the rights you have for your own',
  'approvals:decide': 'see and answer requests to people',
  'tools:execute': 'call a tool directly',
  'metrics:read': 'read the metrics of the server',
  'workers:control': 'declare that a process is gone, for the runs of all tenants; not included in admin or *',
  admin: 'everything else, including the keys of the tenant',
} as const;
/** A permission of a key or token. */
export type Scope = keyof typeof SCOPES;

/** Who makes a request, established once and never widened after. */
export interface Principal {
  /** `key:<prefix>`, `jwt:<sub>` or `local`: what limits are counted by and logs name. Holds no secret. */
  readonly id: string;
  readonly kind: 'key' | 'jwt' | 'local';
  readonly tenant: string;
  /** For whom runs are started, and who is named in a journal as having decided. */
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly limits: Limits;
  /** When the key or token ends; keys that it makes end with it. */
  readonly expiresAt?: number;
  /** Whoever made the key, over HTTP: what it spends and asks for counts against their limits too. */
  readonly account?: Account;
  /** Those between it and the key, oldest first: made by one of them, and made the next. */
  readonly makers?: readonly Account[];
}

export interface Account {
  /** `Principal.id`. */
  readonly id: string;
  readonly limits: Limits;
}

/** Whoever counts what it does against limits of its own: whoever made the key or what made it, down from the first, and the key. */
export function accountsOf(principal: Pick<Principal, 'id' | 'limits' | 'account' | 'makers'>): readonly Account[] {
  const { id, limits } = principal;
  return [...makersOf(principal), { id, limits }];
}

/** Whoever made the key or what made it, down from the first. */
export function makersOf({ account, makers = [] }: Pick<Principal, 'account' | 'makers'>): readonly Account[] {
  return account === undefined ? [] : [account, ...makers];
}

/** As `account` and `makers` of a key that this credential makes. */
export function madeUnder(principal: Principal): Pick<Principal, 'account' | 'makers'> {
  const { id, limits, account, makers = [] } = principal;
  return account === undefined ? { account: { id, limits } } : { account, makers: [...makers, { id, limits }] };
}

/** Request and cost limits of a key or tenant. */
export interface Limits {
  readonly requestsPerMinute?: number;
  /** USD that runs started within a day (UTC) may cost together. */
  readonly costUsdPerDay?: number;
}

/** Whether a scope reaches runs of other tenants. */
export function isOverAllTenants(scope: string): boolean {
  return scope.startsWith('workers:');
}

/**
 * `admin` and `*` hold everything within the tenant; `runs:*` holds what begins with `runs:`. What reaches other tenants is
 * held only by whoever was given it by name: administrators of a tenant make keys with any scope of theirs.
 */
export function holds(scopes: readonly string[], wanted: string): boolean {
  if (isOverAllTenants(wanted)) return scopes.includes(wanted);
  return scopes.some(
    (scope) =>
      scope === wanted ||
      scope === '*' ||
      scope === 'admin' ||
      (scope.endsWith(':*') && wanted.startsWith(scope.slice(0, -1))),
  );
}

/** Which runs somebody reaches: a subject owns what it starts, and `runs:all` reaches those of the whole tenant. */
export function reachOf({ tenant, subject, scopes }: Pick<Principal, 'tenant' | 'subject' | 'scopes'>): Reach {
  return holds(scopes, 'runs:all') ? { tenant } : { tenant, subject };
}

export interface Reach {
  readonly tenant: string;
  /** Absent where it is anybody's. */
  readonly subject?: string;
}

export function isWithin(
  { tenant, subject }: Reach,
  run: { readonly tenant: string; readonly subject: string },
): boolean {
  return run.tenant === tenant && (subject === undefined || run.subject === subject);
}

/** The scopes as a wait that names its own compares them. */
export function answeringScopes({ scopes }: Principal): readonly string[] {
  return scopes.includes('admin') && !scopes.includes('*') ? [...scopes, '*'] : scopes;
}
