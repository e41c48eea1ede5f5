/** Deep enough for every real path; longer ones are no paths. */
const MAX_PATH = 1024;

/**
 * A file as a stack names it: without `file://`, with forward slashes, and relative where it lies under `cwd`, so that
 * it is the name that the artefact has.
 */
export function sourceFile(raw: string, cwd?: string): string {
  const path = slashed(withoutQuery(withoutScheme(raw.slice(0, MAX_PATH))));
  if (cwd === undefined) return path;
  const root = `${slashed(cwd).replace(/\/$/, '')}/`;
  if (isUnder(path, root)) return path.slice(root.length);
  return path.startsWith('./') ? path.slice(2) : path;
}

function withoutScheme(raw: string): string {
  if (!raw.startsWith('file://')) return raw;
  const path = decoded(raw.slice('file://'.length));
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a stray % sign: the name as it stands says more than none
  }
}

/** Bundlers put a version behind the name of a module. */
function withoutQuery(path: string): string {
  const at = path.search(/\?(?:[tv]|import|cache)\b/);
  return at > 0 ? path.slice(0, at) : path;
}

function slashed(path: string): string {
  return isWindows(path) ? path.replaceAll('\\', '/') : path;
}

function isWindows(path: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\');
}

/** Windows does not tell the case of names apart. */
function isUnder(path: string, root: string): boolean {
  return isWindows(root) ? path.toLowerCase().startsWith(root.toLowerCase()) : path.startsWith(root);
}

/** A test may be called by its file; any other name stays as it is. */
export function fileOrName(name: string, cwd: string | undefined): string {
  return isAbsoluteFile(name) || name.startsWith('file://') ? sourceFile(name, cwd) : name;
}

export function isAbsoluteFile(path: string): boolean {
  return path.startsWith('/') || isWindows(path);
}

/** Runtime internals and installed packages: never where a repair belongs. */
export function isForeign(file: string): boolean {
  return (
    /^(?:node|bun|ext|internal|native|https?|data):/.test(file) ||
    file.startsWith('internal/') ||
    file.startsWith('<') ||
    /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.yarn)\//.test(file) ||
    /\/lib\/python\d[\d.]*\//.test(file)
  );
}

/** Files that hold tests by the names that runners look for. */
export function isTestFile(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return (
    /[._-](?:test|spec)\.[cm]?[jt]sx?$/.test(name) ||
    /^test[._-].*\.[cm]?[jt]sx?$/.test(name) ||
    /^(?:test_.*|.*_test|conftest)\.py$/.test(name) ||
    file.includes('__tests__/')
  );
}
