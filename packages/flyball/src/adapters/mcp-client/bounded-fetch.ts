/** One message of a server, whatever carries it: a body, an event, a line. More is not received. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** A server sent more than one message may have. */
export class MessageTooLarge extends Error {
  constructor() {
    super(`it sent a message of more than ${MAX_MESSAGE_BYTES} bytes, which was not read to its end`);
    this.name = 'MessageTooLarge';
  }
}

/** `told` hears of a message that was too large, with the body of the request that it came for. */
export function boundedFetch(told: (request: unknown) => void): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const { body, status, statusText, headers } = answer;
    if (body === null) return answer;
    const isStream = headers.get('content-type')?.trim().startsWith('text/event-stream') === true;
    const counted = isStream ? new EventBytes() : new AllBytes();
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (counted.add(chunk) <= MAX_MESSAGE_BYTES) return controller.enqueue(chunk);
        told(init?.body);
        controller.error(new MessageTooLarge()); // which cancels the rest
      },
    });
    return new Response(body.pipeThrough(bounded), { status, statusText, headers });
  };
}

class AllBytes {
  private bytes = 0;

  add(chunk: Uint8Array): number {
    this.bytes += chunk.byteLength;
    return this.bytes;
  }
}

const [LF, CR] = [10, 13];

/** Of the longest event so far that has not ended: an empty line ends one. */
class EventBytes {
  private bytes = 0;
  private before = LF;
  private isLineEmpty = true;

  add(chunk: Uint8Array): number {
    let most = 0;
    for (const byte of chunk) {
      this.bytes++;
      if (byte === LF && this.before === CR)
        this.bytes--; // the two are one end of a line
      else if (byte === LF || byte === CR) this.endLine();
      else this.isLineEmpty = false;
      this.before = byte;
      if (this.bytes > most) most = this.bytes;
    }
    return most;
  }

  private endLine(): void {
    if (this.isLineEmpty) this.bytes = 0;
    this.isLineEmpty = true;
  }
}
