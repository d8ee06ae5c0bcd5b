const euros = formatOf(2);
const smallAmounts = formatOf(3);

/**
 * Formats an amount in EUR: with three decimals below one euro (`€0.031`), otherwise with two (`€12.40`). No line
 * break separates symbol and number.
 */
export function toMoney(eur: number): string {
  return (eur !== 0 && eur < 1 ? smallAmounts : euros).format(eur);
}

function formatOf(decimals: number): Intl.NumberFormat {
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'EUR',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
