import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Everything the studio needs is in its own files: no content network, no inline script, so that a strict CSP holds. */
export default defineConfig({
  root: here('.'),
  base: '/studio/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    // the folds of src/views hash with Node's function; the browser gets the same digest from our own
    alias: { 'node:crypto': here('src/crypto/node-crypto.ts') },
  },
  build: {
    outDir: here('../server/dist-studio'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0, // a data: address is one more thing a CSP would have to allow
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4747' } },
});
