import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/**
 * A terminal as readline needs it, which can be silenced: while an agent works, what somebody types ahead is kept by
 * readline but must not be written into the middle of a reply.
 */
export class QuietOutput extends Writable {
  private readonly terminal: WriteStream;
  private readonly onResize = (): boolean => this.emit('resize');
  isQuiet = true;

  constructor(terminal: WriteStream) {
    super();
    this.terminal = terminal;
    terminal.on('resize', this.onResize);
  }

  get isTTY(): true {
    return true;
  }

  get columns(): number {
    return this.terminal.columns;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isQuiet) this.terminal.write(chunk);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.terminal.off('resize', this.onResize);
    done(error);
  }
}
