import { isBuiltin as isBuiltinHere } from 'node:module';
import { posix } from 'node:path';
import type { SourceFacts } from './source-facts.js';

/** The rules of docs/rooms.json as decisions over facts: files in, sentences about what is wrong out. */
export interface RoomTable {
  readonly doors: Readonly<Record<string, readonly string[]>>;
  readonly rooms: readonly Room[];
  readonly publishedEntries: Readonly<Record<string, { readonly loads: readonly string[] }>>;
}

export interface Room {
  readonly room: string;
  readonly mayImport: readonly string[];
  readonly builtins: readonly string[];
  readonly packages: readonly string[];
  readonly doors: readonly string[];
}

/** Facts by path from the repository's root, such as `packages/flyball/src/core/run.ts`. */
export type Sources = ReadonlyMap<string, SourceFacts>;

/** Folders of the smaller packages that are rooms of their own; the rest of such a package is one room. */
const INNER = new Set(['cli', 'files', 'mcp']);

export function roomNameOf(path: string): string {
  const [, home = '', , first = '', second] = path.split('/'); // packages/<home>/src/<first>/<second>
  if (home === 'studio') return 'studio'; // one room with many corners
  if (home !== 'flyball') return INNER.has(first) ? `${home}/${first}` : home;
  if (first.endsWith('.ts')) return 'entry'; // a file directly in src
  return first === 'adapters' ? `adapters/${second}` : first;
}

export function importProblems(table: RoomTable, sources: Sources): string[] {
  return problemsPerFile(table, sources, (path, facts, room) =>
    facts.imports
      .map(({ specifier }) => refusalOf(specifier, path, room))
      .filter((refusal) => refusal !== undefined)
      .map((refusal) => `${path} (${room.room}) ${refusal}`),
  );
}

/** "There is no second door": time, randomness, network and environment only where the table opens them. */
export function doorProblems(table: RoomTable, sources: Sources): string[] {
  return problemsPerFile(table, sources, (path, facts, room) =>
    Object.entries(table.doors)
      .filter(([door]) => !room.doors.includes(door))
      .flatMap(([door, entries]) =>
        facts.uses
          .filter((use) => entries.some((entry) => use === entry || use.startsWith(`${entry}.`)))
          .map(
            (use) => `${path} (${room.room}) uses ${use}, but the room has no door "${door}"; take it through a port`,
          ),
      ),
  );
}

/** Each cycle once, as `a → b → a`. */
export function cycles(sources: Sources): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path].join(' → '));
    if (at >= 0 || done.has(path)) return;
    trail.push(path);
    for (const { specifier } of sources.get(path)?.imports ?? []) {
      const target = sourceOf(specifier, path, sources);
      if (target !== undefined) visit(target);
    }
    trail.pop();
    done.add(path);
  };
  for (const path of sources.keys()) visit(path);
  return found;
}

/** Packages that come along when a published entry is imported, before anything is called. */
export function packagesLoadedBy(entry: string, sources: Sources): string[] {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { specifier, kind } of sources.get(path)?.imports ?? []) {
      if (kind !== 'static') continue;
      const target = fileOf(specifier, path);
      if (target !== undefined) visit(target);
      else if (!isBuiltin(specifier)) packages.add(packageOf(specifier));
    }
  };
  visit(entry);
  return [...packages].sort();
}

function problemsPerFile(
  table: RoomTable,
  sources: Sources,
  problemsOf: (path: string, facts: SourceFacts, room: Room) => string[],
): string[] {
  return [...sources].flatMap(([path, facts]) => {
    const room = roomOf(path, table);
    return room === undefined ? [`${path} stands in no room of docs/rooms.json`] : problemsOf(path, facts, room);
  });
}

function roomOf(path: string, table: RoomTable): Room | undefined {
  const name = roomNameOf(path);
  const exact = table.rooms.find(({ room }) => room === name);
  return exact ?? (name.startsWith('adapters/') ? table.rooms.find(({ room }) => room === 'adapters/*') : undefined);
}

function refusalOf(specifier: string, from: string, room: Room): string | undefined {
  const target = fileOf(specifier, from);
  if (target !== undefined) {
    const wanted = roomNameOf(target);
    if (wanted === roomNameOf(from) || room.mayImport.some((name) => covers(name, wanted))) return undefined;
    return `imports ${target} (${wanted}), but may import only: ${['itself', ...room.mayImport].join(', ')}`;
  }
  if (isBuiltin(specifier)) {
    if (!specifier.startsWith('node:')) return `imports "${specifier}"; write "node:${specifier}"`;
    return room.builtins.some((name) => covers(name, specifier))
      ? undefined
      : `imports ${specifier}, which its row in docs/rooms.json does not list`;
  }
  return room.packages.includes(packageOf(specifier))
    ? undefined
    : `imports the package ${packageOf(specifier)}, which its row in docs/rooms.json does not list`;
}

/** `adapters/*` covers every adapter, `node:*` every built-in module. */
function covers(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

/** The file itself, which may hold markup. */
function sourceOf(specifier: string, from: string, sources: Sources): string | undefined {
  const file = fileOf(specifier, from);
  return [file, file?.replace(/\.ts$/, '.tsx')].find((path) => path !== undefined && sources.has(path));
}

function fileOf(specifier: string, from: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** The prefix decides for built-ins that only newer versions of Node have. */
function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || isBuiltinHere(specifier);
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
