import { Writable } from 'node:stream';

/**
 * Standard output for the protocol alone: what agents and tools print goes to standard error, where it harms nobody.
 * Answers the stream to speak on, and how to undo it.
 */
export function quietStdout(): { readonly output: Writable; restore(): void } {
  const { stdout, stderr } = process;
  const write = stdout.write;
  const log = console.log;
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => void Reflect.apply(write, stdout, [chunk, done]),
  });
  stdout.on('error', (error) => output.destroy(error));
  stdout.write = ((chunk: string | Uint8Array, ...rest: never[]) =>
    stderr.write(chunk, ...rest)) as typeof stdout.write;
  console.log = console.error;
  return {
    output,
    restore: () => {
      stdout.write = write;
      console.log = log;
    },
  };
}
