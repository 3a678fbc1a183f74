/** The price with tax, in cents; the rate in percent. */
export const gross = (cents, rate) => Math.floor((cents * (100 + rate)) / 100);
