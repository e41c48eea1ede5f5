import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
}

/** The compiler's own language server, as an editor talks to it. */
export class LanguageServer {
  private readonly child: ChildProcess;
  private readonly answers = new Map<number, (result: unknown) => void>();
  private read = Buffer.alloc(0);
  private asked = 0;

  constructor() {
    this.child = spawn(process.execPath, [tsc, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (data: Buffer) => this.heard(data));
  }

  ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.asked;
    const answer = new Promise((resolve) => this.answers.set(id, resolve));
    this.send({ id, method, params });
    return answer;
  }

  tell(method: string, params: unknown): void {
    this.send({ method, params });
  }

  close(): void {
    this.child.kill();
  }

  private send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.child.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  private heard(data: Buffer): void {
    this.read = Buffer.concat([this.read, data]);
    for (;;) {
      const head = this.read.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(this.read.subarray(0, Math.max(head, 0)).toString())?.[1]);
      const from = head + 4;
      if (head < 0 || this.read.length < from + length) return;
      this.take(JSON.parse(this.read.subarray(from, from + length).toString()) as Message);
      this.read = this.read.subarray(from + length);
    }
  }

  private take({ id, method, result }: Message): void {
    if (id === undefined) return;
    if (method === undefined) this.answers.get(id)?.(result);
    else this.send({ id, result: null }); // what it asks an editor has a default
  }
}
