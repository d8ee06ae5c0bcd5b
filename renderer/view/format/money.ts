const thousandths = new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats net EUR: `€ 0.031` below one euro, as for hourly prices, else `€ 12.40`. */
export function toMoney(eur: number): string {
  return `€ ${(eur !== 0 && eur < 1 ? thousandths : cents).format(eur)}`;
}
