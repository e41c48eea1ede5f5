import { ConfigError } from 'flyball';
import type { Captured, SandboxEnd, Workspace } from 'flyball/internal';
import { str } from '../../python/text.js';
import type { PyDict } from '../../python/value.js';
import type { KnowledgeDocument, KnowledgeServices, RetrievalTool } from './knowledge.js';

/** What a command may take. */
const WALL_MS = 30_000;
/** A folder that is always there before the command runs, so that nothing has to be looked up. */
const never = new AbortController().signal;

/** The documents as the files an agent may look through. */
export function filesOf(documents: readonly KnowledgeDocument[]): ReadonlyMap<string, string> {
  const files = new Map(documents.map(({ id, title, content }) => [fileName(id), `# ${title}\n\n${content}`]));
  const lines = documents.map(({ id, title }) => `- **${fileName(id)}** - ${title}`);
  const heading = `# Knowledge base\n\nDocuments: ${documents.length}\n\n`;
  return files.set('INDEX.md', `${heading}${lines.join('\n')}\n`);
}

function fileName(id: string): string {
  const safe = id.replaceAll('..', '_').replace(/[^\p{L}\p{N}._-]/gu, '_');
  return `${safe.slice(0, 255)}.md`;
}

/**
 * Why a command is not run: it reaches out of the folder. Quoted text does not count, a pattern for grep may well hold a
 * slash. This only saves the agent a detour: what keeps it inside is the sandbox, which holds nothing else.
 */
export function refusal(command: string): string | undefined {
  const bare = command.replace(/'[^']*'/g, '""').replace(/"[^"]*"/g, '""');
  if (bare.includes('..')) return '..';
  const absolute = /(?:^|[\s;|&])(\/[a-zA-Z][^\s;|&]*)/.exec(bare)?.[1];
  if (absolute !== undefined) return `the absolute path ${absolute}`;
  if (bare.trimStart().startsWith('/')) return 'an absolute path';
  if (bare.includes('~')) return '~';
  return /\$HOME|\$\{HOME\}/.test(bare) ? '$HOME' : undefined;
}

/** Runs command lines over the documents: in the sandbox, without network, and without write access unless it is given. */
export function shellTool(
  services: KnowledgeServices,
  folder: () => Promise<Workspace>,
  access: 'read-only' | 'read-write',
): RetrievalTool {
  return {
    name: 'shell',
    parameters: [{ name: 'command' }],
    async call(args: PyDict) {
      const command = str(args.get('command') ?? null);
      const refused = refusal(command);
      if (refused !== undefined)
        return `Error (exit code 1): the command was not run, it contains ${refused}, which could leave the folder`;
      const { sandbox } = services;
      if (sandbox === undefined)
        throw new ConfigError(
          'This retrieval configuration has a shell and needs a sandbox: give one, or choose one without a shell.',
        );
      if (!sandbox.describe().files.confined)
        throw new ConfigError(
          `The sandbox ${sandbox.name} does not confine files, so a shell in it could read everything here. Use one that does.`,
        );
      const { path } = await folder();
      const job = {
        stages: [['bash', '-c', command]],
        cwd: path,
        mounts: [{ path, access }],
        limits: { wallMs: WALL_MS },
      };
      const { end, stdout, stderr } = await sandbox.run(job, { signal: never });
      return answer(command, end, { stdout: shown(stdout), stderr: shown(stderr) });
    },
  };
}

/** What the agent reads: the output, or why there is none. */
function answer(
  command: string,
  end: SandboxEnd,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): string {
  if (end.how === 'limit')
    return `Error: the command was stopped, it reached its limit of ${end.allowed} (${end.limit})`;
  if (end.how === 'not-started') return `Error: the command could not be started: ${end.because}`;
  if (end.how === 'planted') return 'Error: the command left a Git repository, which is not allowed';
  if (end.how === 'aborted') return 'Error: the command was stopped';
  const code = end.how === 'exit' ? end.code : 1;
  if (code === 0) return stdout === '' ? '(no output)' : stdout;
  // grep says nothing and ends with 1 where it finds nothing
  if (code === 1 && command.includes('grep') && stderr === '') return 'No matches found.';
  return stderr === '' ? `Command failed with exit code ${code}` : `Error (exit code ${code}): ${stderr}`;
}

function shown({ head, tail, elidedBytes }: Captured): string {
  return neutral(elidedBytes === 0 ? head : `${head}\n[${elidedBytes} bytes left out]\n${tail}`);
}

/** Owner, group and time of a file say something about the machine and differ between runs: `ls -l` shows the same for all. */
function neutral(output: string): string {
  return output.replace(
    /^([-dlrwxstST@+.]{10,12}\s+\d+\s+)\S+\s+\S+\s+(\d+)\s+\w{3}\s+\d+\s+[\d:]+\s+(.*)$/gm,
    '$1kb_user  kb_group  $2 Jan  1 00:00 $3',
  );
}
