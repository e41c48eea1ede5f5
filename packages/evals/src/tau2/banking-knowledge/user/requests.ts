import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { isFound } from '../base/lookups.js';

const requestTransfer = bankTool('request_human_agent_transfer', [], (bank) => {
  const listing = bank.list('human_transfer_requests', '{}');
  const number = isFound(listing) ? listing.split('request_id').length : 1;
  const id = `transfer_request_${number}`;
  bank.add('human_transfer_requests', id, {
    request_id: id,
    request_number: BigInt(number),
    requested_at: today,
    status: 'PENDING',
  });
  return `Your request #${number} for a human agent is in; the agent handles it.`;
});

const listGiven = bankTool(
  'list_discoverable_user_tools',
  [],
  (bank) => `Tools that the agent has given you:\n${bank.list('user_discoverable_tools', '{}')}`,
);

export const requests: readonly BankTool[] = [requestTransfer, listGiven];
