/** How a browser is started. */
export interface LaunchOptions {
  readonly executablePath?: string;
  /** Chromium's own sandbox. On where absent, except for root, for whom Chromium does not start with it. */
  readonly chromiumSandbox?: boolean;
}
