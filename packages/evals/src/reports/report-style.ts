/** The page's look: system fonts, light and dark by the reader's setting, wide tables scroll by themselves. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6677; --line: #dde2ea; --paper: #fff; --band: #f5f7fa;
  --c0: #2f6fde; --c1: #0f8a5f; --c2: #c2571a; --c3: #8746c9; --c4: #b02a4c; --yes: #0f7a4f; --no: #b3372c; --open: #7a6a1f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf1; --soft: #9aa6b8; --line: #313a48; --paper: #12161d; --band: #1a2029;
  --c0: #74a5ff; --c1: #4fcf9e; --c2: #ff9d5c; --c3: #c396ff; --c4: #ff7d9d; --yes: #4fcf9e; --no: #ff8a7d; --open: #e0c95c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 6px; } h3 { font-size: 15px; margin: 0 0 6px; }
.lead, .note { color: var(--soft); margin: 0 0 10px; } .note { font-size: 13px; }
.cards { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(270px, 1fr)); margin: 24px 0 8px; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; background: var(--band); overflow-wrap: anywhere; }
.card p { margin: 0 0 6px; } .card ul { margin: 6px 0 0; padding-left: 18px; font-size: 12.5px; color: var(--soft); max-height: 150px; overflow: auto; }
.badge { float: right; font-size: 12px; font-weight: 600; padding: 1px 8px; border-radius: 10px; border: 1px solid; }
.supported .badge { color: var(--yes); } .not-supported .badge { color: var(--no); } .undecided .badge { color: var(--open); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th, td { padding: 7px 11px; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: break-word; max-width: 340px; }
th { font-weight: 600; color: var(--soft); background: var(--band); white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; } tbody tr:hover { background: var(--band); }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.plot { width: 100%; max-width: 760px; height: auto; }
.cell { color: inherit; text-decoration: underline dotted var(--soft); text-underline-offset: 3px; }
details { margin-top: 36px; } summary { cursor: pointer; font-weight: 600; }
@media print { .scroll { overflow: visible; } .card ul { max-height: none; } }
`;
