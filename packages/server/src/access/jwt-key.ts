/** What tokens are verified with. */
export type JwtKey =
  | { readonly kind: 'secret'; readonly secret: string | Uint8Array }
  /** A public key or a certificate in PEM. */
  | { readonly kind: 'pem'; readonly pem: string }
  | { readonly kind: 'jwks-url'; readonly url: string; readonly timeoutMs?: number }
  | { readonly kind: 'jwks-file'; readonly path: string };
