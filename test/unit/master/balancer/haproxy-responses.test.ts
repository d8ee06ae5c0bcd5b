import { describe, expect, it } from 'vitest';
import { parseProcesses } from '#master/balancer/haproxy/reload.ts';
import { parseServersState, parseStat } from '#master/balancer/runtime/runtime-state.ts';

// Responses of HAProxy 2.6.12.
const HEADER =
  '1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port\n';

describe("parsers for responses of HAProxy's runtime socket", () => {
  it.each([
    ['2 0', { isClosed: false, isInMaintenance: false, isDown: false }],
    ['0 0', { isClosed: false, isInMaintenance: false, isDown: true }],
    ['0 5', { isClosed: true, isInMaintenance: true, isDown: false }],
    ['2 4', { isClosed: false, isInMaintenance: false, isDown: false }],
    ['1 8', { isClosed: true, isInMaintenance: false, isDown: false }],
    ['0 8', { isClosed: true, isInMaintenance: false, isDown: true }],
    ['2 16', { isClosed: true, isInMaintenance: false, isDown: false }],
    ['0 32', { isClosed: true, isInMaintenance: true, isDown: false }],
  ])('read the state of a server: %s', (states, want) => {
    const line = `1234568 overworld 2000001 p-1 127.0.0.1 ${states} 1 1 3 8 2 1 6 0 1 1 - 25881 - -1 0 - - 0\n\n`;
    expect(parseServersState(HEADER + line)).toEqual([
      { name: 'p-1', id: 2_000_001, host: '127.0.0.1', port: 25_881, ...want },
    ]);
  });

  it('distinguish a backend without servers from a missing backend', () => {
    expect(parseServersState(`${HEADER}\n`)).toEqual([]);
    expect(parseServersState("Can't find backend.\n\n")).toBeNull();
    expect(parseServersState('')).toBeNull();
  });

  it('read a table of statistics with quoted fields', () => {
    const rows = parseStat('# pxname,svname,scur,\noverworld,p-1,3,\noverworld,"a ""b"", c",4,\n\n');
    expect(rows.map((row) => [row.get('svname'), row.get('scur')])).toEqual([
      ['p-1', '3'],
      ['a "b", c', '4'],
    ]);
    expect(parseStat('Unknown command.\n')).toEqual([]);
  });

  it('read a list of processes, and ignore old workers', () => {
    const answer = `#<PID>          <type>          <reloads>       <uptime>        <version>
1523            master          12 [failed: 1]  0d00h00m42s     2.6.12-1+deb12u4
# workers
2084            worker          0               0d00h00m00s     2.6.12-1+deb12u4
# old workers
1541            worker          11              0d00h00m42s     2.6.12-1+deb12u4
# programs

`;
    expect(parseProcesses(answer)).toEqual({ reloads: 12, failed: 1, workers: [2_084] });
    expect(parseProcesses('')).toBeNull();
  });

  it('read the list of processes of HAProxy 2.4, which has a column for the relative process id', () => {
    const answer = `#<PID>          <type>          <relative PID>  <reloads>       <uptime>        <version>
1523            master          0               12              0d00h00m42s     2.4.24-0ubuntu0.22.04.1
# workers
2084            worker          1               0               0d00h00m00s     2.4.24-0ubuntu0.22.04.1
# old workers
1541            worker          [was: 1]        11              0d00h00m42s     2.4.24-0ubuntu0.22.04.1
# programs

`;
    expect(parseProcesses(answer)).toEqual({ reloads: 12, failed: 0, workers: [2_084] });
  });
});
