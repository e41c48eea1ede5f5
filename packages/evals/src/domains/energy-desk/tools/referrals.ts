import { post } from '../account.js';
import { audit } from '../audit.js';
import { Refused, TODAY, text } from '../desk.js';
import { type DeskTool, deskTool, shown } from '../desk-tool.js';
import { poundsOf } from '../money.js';

const confirmReferral = deskTool('confirm_referral_credit_6402', (desk, args) => {
  const [referralId, amount] = [args.text('referral_id'), args.pence('amount')];
  const referral = desk.get('referrals', referralId);
  if (text(referral, 'status') !== 'PENDING') throw new Refused('the referral has been paid already.');
  const both = [text(referral, 'referrer_id'), text(referral, 'friend_id')];
  desk.set('referrals', referralId, { status: 'PAID', amount: poundsOf(amount), paid_date: TODAY });
  for (const customerId of both) post(desk, customerId, amount);
  audit(desk, 'confirm_referral_credit_6402', text(referral, 'referrer_id'));
  return `Referral ${referralId} paid: ${shown(amount)} each to ${both.join(' and ')}.`;
});

export const referralTools: readonly DeskTool[] = [confirmReferral];
