const GROUPED = new Intl.NumberFormat('en-US');
/** Number of MB from which RAM is shown in TB. In GB, it would have too many digits. */
const MB_PER_TB = 1_048_576;
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a count with grouped digits: `5,000`. */
export function toCount(n: number): string {
  return GROUPED.format(n);
}

/** Formats a count with its noun: `1 service`, `2 services`, `5,000 services`. */
export function toCountOf(n: number, one: string, many = `${one}s`): string {
  return `${toCount(n)} ${n === 1 ? one : many}`;
}

/** Formats a number with its limit: `37 / 100`. */
export function toOf(n: number, limit: number): string {
  return `${toCount(n)} / ${toCount(limit)}`;
}

/** Converts MB to GB (2^30 bytes) and formats them with at most one decimal: 5,530 MB → `5.4`. */
function gigabytes(mb: number): string {
  const tenths = Math.round((mb / 1024) * 10) / 10;
  return GROUPED.format(tenths);
}

/** Formats RAM given in MB (2^20 bytes): `512 MB` below 1 GB, `5.4 GB` below 1,024 GB, otherwise `2.1 TB`. */
export function toRam(mb: number): string {
  if (mb < 1024) return `${mb} MB`;
  return mb < MB_PER_TB ? `${gigabytes(mb)} GB` : `${gigabytes(mb / 1024)} TB`;
}

/** Formats used and total RAM in the unit of the total: `5.4 of 8 GB`, `6.9 of 10.1 TB`. */
export function toRamOf(usedMb: number, totalMb: number): string {
  if (totalMb < MB_PER_TB) return `${gigabytes(usedMb)} of ${gigabytes(totalMb)} GB`;
  return `${gigabytes(usedMb / 1024)} of ${gigabytes(totalMb / 1024)} TB`;
}

/** Formats a size in units of 1,024 with at most three digits: `0 B`, `1.5 kB`, `48.2 MB`, `512 MB`. */
export function toBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? 'B'}`;
}

/** Formats a rate: `12.4 MB/s`. */
export function toBytesPerSecond(rate: number): string {
  return `${toBytes(rate)}/s`;
}

/** Formats `part` of `whole` as a whole percentage. If `whole` is 0, the percentage is 0. */
export function toPercent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${Math.round((part / whole) * 100)} %`;
}
