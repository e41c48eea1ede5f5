import { createHash, createHmac } from 'node:crypto';

/** Signature Version 4, as S3 and what is compatible with it ask for. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface UnsignedRequest {
  readonly method: 'GET' | 'PUT' | 'HEAD';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** The headers to send: those of the request, and the ones that sign it. */
export function signed(
  { method, url, headers = {}, body = new Uint8Array() }: UnsignedRequest,
  by: { readonly credentials: Credentials; readonly region: string; readonly now: Date },
): Readonly<Record<string, string>> {
  const { credentials, region } = by;
  const time = by.now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': time,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(all).sort();
  const request = [
    method,
    url.pathname
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${all[name]?.trim() ?? ''}`),
    '',
    names.join(';'),
    all['x-amz-content-sha256'],
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n');
  const key = [...scope.split('/')].reduce<Buffer | string>(
    (before, part) => createHmac('sha256', before).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const { host: _host, ...sent } = all; // the one who sends it writes it
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** As S3 reads names: everything but letters, digits and `-._~` is escaped. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
