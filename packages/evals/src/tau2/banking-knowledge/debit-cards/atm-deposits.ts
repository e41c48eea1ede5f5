/** What lies in a deposit envelope. */
export interface DepositedCheck {
  readonly number: string;
  readonly amount: string;
  readonly drawnOn?: string;
  readonly payee?: string;
  readonly memo?: string;
  readonly dated?: string;
}

/** The scan of one deposit at an ATM of the bank. The bank holds images of these three and of no others. */
export interface DepositScan {
  readonly atm: string;
  readonly envelope: string;
  readonly time: string;
  readonly place?: string;
  readonly check: DepositedCheck;
  readonly bills: readonly { readonly count: number; readonly of: string; readonly worth: string }[];
  readonly checkTotal: string;
  readonly cashTotal: string;
  readonly total: string;
  readonly recorded: string;
  /** By how much the machine's record differs; absent where it agrees. */
  readonly discrepancy?: string;
}

const bills = [
  { count: 2, of: '$100', worth: '$200.00' },
  { count: 3, of: '$20', worth: '$60.00' },
] as const;

const miscounted = {
  atm: 'ATM #3921',
  bills,
  checkTotal: '$875.00',
  cashTotal: '$260.00',
  total: '$1,135.00',
  recorded: '$385.00',
  discrepancy: '$750.00',
} as const;

export const depositScans: ReadonlyMap<string, DepositScan> = new Map<string, DepositScan>([
  [
    'btxn_834027370c20',
    {
      ...miscounted,
      envelope: 'ENV-2025-3921-00923',
      time: '3:47 PM CST',
      place: 'Rho-Bank ATM #3921, Cedar Lane Branch, Austin, TX',
      check: {
        number: '7284',
        drawnOn: 'First Texas Bank',
        payee: 'Derek Yamamoto',
        amount: '$875.00',
        memo: 'October rent refund',
        dated: '11/03/2025',
      },
    },
  ],
  [
    'btxn_test_deposit_001',
    {
      ...miscounted,
      envelope: 'ENV-2025-3921-00847',
      time: '2:34 PM EST',
      place: 'Rho-Bank ATM #3921, 742 Oak Avenue, Portland, OR',
      check: {
        number: '4821',
        drawnOn: 'First National Bank',
        payee: 'Linda Patterson',
        amount: '$875.00',
        memo: 'October rent refund',
        dated: '11/05/2025',
      },
    },
  ],
  [
    'btxn_test_atm_dep_partial',
    {
      atm: 'ATM #5847',
      envelope: 'ENV-2025-5847-00293',
      time: '10:15 AM EST',
      check: { number: '7392', amount: '$500.00' },
      bills: [],
      checkTotal: '$500.00',
      cashTotal: '$0.00',
      total: '$500.00',
      recorded: '$500.00',
    },
  ],
]);
