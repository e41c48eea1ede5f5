import type { ResolveHook } from 'node:module';

/**
 * Runs in the thread of the loader, after tsx. A `.ts` file without `"type": "module"` around it would be loaded as
 * CommonJS, and would get a second copy of flyball whose classes are not ours; newer Nodes look at its syntax instead.
 */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const found = await next(specifier, context);
  return found.format === 'commonjs' && /\.ts(?:\?|$)/.test(found.url) ? { ...found, format: 'module' } : found;
};
