import { fileURLToPath } from 'node:url';

/** What ships with the package: `domains/energy_desk`, the skills of every domain, and presets. */
export const shippedFolder = fileURLToPath(new URL('../../data/', import.meta.url));
