export { bankingKnowledge } from './banking-domain.js';
