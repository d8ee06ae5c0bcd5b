const thousandths = new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats an amount in EUR: with three decimals below one euro (`€ 0.031`), else with two (`€ 12.40`). */
export function toMoney(eur: number): string {
  return `€ ${(eur !== 0 && eur < 1 ? thousandths : cents).format(eur)}`;
}
