import { expect, it } from 'vitest';
import { signed } from './signature.js';

/** The examples that AWS publishes: "Authenticating Requests (AWS Signature Version 4)" of the S3 API reference. */
const by = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  region: 'us-east-1',
  now: new Date('2013-05-24T00:00:00Z'),
};
const at = (path: string): URL => new URL(`https://examplebucket.s3.amazonaws.com/${path}`);

it.each([
  [
    'an object with a range',
    { method: 'GET', url: at('test.txt'), headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'an object that is put, with a name that has to be escaped',
    {
      method: 'PUT',
      url: at('test$file.text'),
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: Buffer.from('Welcome to Amazon S3.'),
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a parameter without a value',
    { method: 'GET', url: at('?lifecycle') },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list',
    { method: 'GET', url: at('?max-keys=2&prefix=J') },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
] as const)('signs as the published examples do: %s [R10-ARCHIVE-S3]', (_what, request, signature) => {
  expect(signed(request, by)['authorization']).toContain(`Signature=${signature}`);
});

it('signs the token of a session [R10-ARCHIVE-S3]', () => {
  const credentials = { ...by.credentials, sessionToken: 'token' };
  const headers = signed({ method: 'GET', url: at('a') }, { ...by, credentials });
  expect(headers['x-amz-security-token']).toBe('token');
  expect(headers['authorization']).toContain('x-amz-security-token,'.slice(0, -1));
});
