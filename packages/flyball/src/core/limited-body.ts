/** The body of an answer, undefined for one that is longer than this: the rest of it is not received. */
export async function bodyAtMost({ headers, body }: Response, mostBytes: number): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  if (Number(headers.get('content-length')) > mostBytes) {
    await body.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > mostBytes) return undefined; // leaving the loop cancels it
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
