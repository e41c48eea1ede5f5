import { createSocket, type Socket } from 'node:dgram';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const SECRET_TEXT = 'flyball-host-secret';
export const VARIABLE = 'FLYBALL_CANARY_VARIABLE';

/** Things on the host that code in a sandbox must neither see nor change, and that notice when it does. */
export class HostCanaries {
  readonly folder = mkdtempSync(join(tmpdir(), 'flyball-canaries-'));
  readonly work = join(this.folder, 'work');
  readonly readOnly = join(this.folder, 'read-only');
  readonly outside = join(this.folder, 'outside');
  readonly secret = join(this.outside, 'secret');
  connections = 0;
  private readonly server: Server = createServer((socket) => {
    this.connections++;
    socket.destroy();
  });
  private readonly packets: Socket = createSocket('udp4');

  async start(): Promise<void> {
    for (const path of [this.work, this.readOnly, this.outside]) mkdirSync(path);
    writeFileSync(this.secret, SECRET_TEXT);
    symlinkSync(this.secret, join(this.work, 'link-out'));
    process.env[VARIABLE] = SECRET_TEXT;
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.packets.on('message', () => this.connections++);
    await new Promise<void>((resolve) => this.packets.bind(this.port, '127.0.0.1', resolve));
  }

  stop(): void {
    this.server.close();
    this.packets.close();
    delete process.env[VARIABLE];
    rmSync(this.folder, { recursive: true, force: true });
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port;
  }

  /** Text of a case with this host's places in it. */
  fill(text: string): string {
    return text
      .replaceAll('{SECRET}', this.secret)
      .replaceAll('{OUTSIDE}', this.outside)
      .replaceAll('{READ_ONLY}', this.readOnly)
      .replaceAll('{PORT}', String(this.port))
      .replaceAll('{PID}', String(process.pid));
  }

  /** What of the host is different from what was put there. */
  changes(): string[] {
    return [
      ...(readFileSync(this.secret, 'utf8') === SECRET_TEXT ? [] : ['the secret was changed']),
      ...(readdirSync(this.outside).join() === 'secret' ? [] : ['a file was planted outside']),
      ...(readdirSync(this.readOnly).length === 0 ? [] : ['a file was planted in the read-only mount']),
      ...(this.connections === 0 ? [] : ['somebody connected to the listener']),
    ];
  }
}

/** Command lines of all processes on this machine, those in sandboxes included. */
export function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      } catch {
        return []; // it ended in the meantime
      }
    });
}
