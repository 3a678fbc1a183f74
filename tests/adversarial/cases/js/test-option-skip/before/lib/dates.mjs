const DAY = 86_400_000;

/** @param {string} iso  2024-05-17 */
export function addBusinessDays(iso, days) {
  return new Date(Date.parse(iso) + days * DAY).toISOString().slice(0, 10);
}

export const isWeekend = (iso) => [0, 6].includes(new Date(iso).getUTCDay());
