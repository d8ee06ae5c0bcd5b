import type { BrokenDocument } from './document.ts';

const providerKeys =
  'api_token, location, locations, server_type, blocked_servers, ssh_keys, configure_mode, server_port, upscaling_at_percent_capacity';
const port = 'a whole number from 1 to 65535; default: 1510.';
const rulePort = 'a string with a port from 1 to 65535, or a range such as "25565-25600".';
const ips = 'a list of addresses in CIDR notation, such as "203.0.113.7/32".';
const rules = 'a list of different rules. Each has a port, and at least one of protocol and source_ips';

/** Invalid master configurations. */
export const brokenMasters: readonly BrokenDocument[] = [
  [
    'a mistyped section',
    '{"comunication": {}}',
    'comunication (line 1) is not a known key; did you mean "communication"?; allowed: communication, provider, firewall_rules, balancer, access, storage, volumes, limits, max_online_players.',
  ],
  [
    'an unknown key in a section',
    '{"communication": {"prt": 1}}',
    'communication.prt (line 1) is not a known key; did you mean "port"?; allowed: hostname, port.',
  ],
  [
    'a duplicate key in a section',
    '{"communication": {"port": 1,\n"port": 2}}',
    'communication.port (line 2) is defined twice; keep one of them; allowed: each key once.',
  ],
  [
    'a list in place of a section',
    '{"balancer": []}',
    'balancer (line 1) must be an object: found []; allowed: an object with the keys config_path, entry_addition.',
  ],
  [
    'null in place of a section',
    '{"communication": null}',
    'communication (line 1) must be an object: found null; allowed: an object with the keys hostname, port.',
  ],
  [
    'port 0',
    '{"communication": {"port": 0}}',
    `communication.port (line 1) is too small (at least 1): found 0; allowed: ${port}`,
  ],
  [
    'port 65536',
    '{"communication": {"port": 65536}}',
    `communication.port (line 1) is too large (at most 65535): found 65536; allowed: ${port}`,
  ],
  [
    'a string in place of a port',
    '{"communication": {"port": "1510"}}',
    `communication.port (line 1) must be a whole number: found "1510"; allowed: ${port}`,
  ],
  [
    'a name in place of an address',
    '{"communication": {"hostname": "localhost"}}',
    'communication.hostname (line 1) is not allowed: found "localhost"; allowed: an IPv4 or IPv6 address; default: "127.0.0.1".',
  ],
  [
    'a number in place of the token',
    '{"provider": {"api_token": 12345}}',
    'provider.api_token (line 1) must be a string: found "••••"; allowed: a string of 1 to 256 characters; default: "<API_TOKEN>".',
  ],
  [
    'the token in place of its section',
    '{"provider": "s3cret"}',
    `provider (line 1) must be an object: found "••••"; allowed: an object with the keys ${providerKeys}.`,
  ],
  [
    'a location with a space',
    '{"provider": {"location": "NBG 1"}}',
    'provider.location (line 1) is not allowed: found "NBG 1"; allowed: a location code such as nbg1; default: "nbg1".',
  ],
  [
    'a duplicate server type',
    '{"provider": {"blocked_servers": ["cpx11", "cpx11"]}}',
    'provider.blocked_servers (line 1) names a server type twice: found ["cpx11","cpx11"]; allowed: a list of different server type names such as cpx11; default: [].',
  ],
  [
    'a threshold of 0 percent',
    '{"provider": {"upscaling_at_percent_capacity": 0}}',
    'provider.upscaling_at_percent_capacity (line 1) is too small (at least 1): found 0; allowed: a whole number from 1 to 100 %; default: 80.',
  ],
  [
    'a firewall port as a number',
    '{"firewall_rules": [{"port": 25565, "protocol": "tcp"}]}',
    `firewall_rules[0].port (line 1) must be a string: found 25565; allowed: ${rulePort}`,
  ],
  [
    'a firewall port beyond 65535',
    '{"firewall_rules": [{"port": "70000", "protocol": "tcp"}]}',
    `firewall_rules[0].port (line 1) is not allowed: found "70000"; allowed: ${rulePort}`,
  ],
  [
    'a reversed port range',
    '{"firewall_rules": [{"port": "20-10", "protocol": "tcp"}]}',
    `firewall_rules[0].port (line 1) is not allowed: found "20-10"; allowed: ${rulePort}`,
  ],
  [
    'an unknown protocol',
    '{"firewall_rules": [{"port": "1", "protocol": "icmp"}]}',
    'firewall_rules[0].protocol (line 1) is not allowed: found "icmp"; allowed: "tcp" or "udp".',
  ],
  [
    'a rule with only a port',
    '{"firewall_rules": [{"port": "1"}]}',
    `firewall_rules[0] (line 1) must set protocol or source_ips in addition to the port: found {"port":"1"}; allowed: ${rules}; default: [].`,
  ],
  [
    'an address without a mask',
    '{"firewall_rules": [{"port": "1", "source_ips": ["1.2.3.4"]}]}',
    `firewall_rules[0].source_ips[0] (line 1) is not allowed: found "1.2.3.4"; allowed: ${ips}`,
  ],
  [
    'a mask that is too long',
    '{"firewall_rules": [{"port": "1", "source_ips": ["1.2.3.4/33"]}]}',
    `firewall_rules[0].source_ips[0] (line 1) is not allowed: found "1.2.3.4/33"; allowed: ${ips}`,
  ],
  [
    'an empty list of source addresses',
    '{"firewall_rules": [{"port": "1", "source_ips": []}]}',
    `firewall_rules[0].source_ips (line 1) has too few entries (at least 1): found []; allowed: ${ips}`,
  ],
  [
    'the same rule twice',
    '{"firewall_rules": [{"port": "1", "protocol": "tcp"}, {"port": "1", "protocol": "tcp"}]}',
    `firewall_rules (line 1) contains the same rule twice: found [{"port":"1","protocol":"tcp"},{"port":"1","protocol":"tcp"}]; allowed: ${rules}; default: [].`,
  ],
  [
    'the same rule twice in different forms',
    '{"firewall_rules": [{"port": "1", "source_ips": ["::/0"]}, {"port": "1", "protocol": "tcp", "source_ips": ["::/0"]}]}',
    `firewall_rules (line 1) contains the same rule twice: found [{"port":"1","source_ips":["::/0"]},{"port":"1","protocol":"tcp","source_ips":[…; allowed: ${rules}; default: [].`,
  ],
  [
    'a path that is not absolute',
    '{"balancer": {"config_path": "haproxy.cfg"}}',
    'balancer.config_path (line 1) is not allowed: found "haproxy.cfg"; allowed: an absolute path; default: "/etc/haproxy/haproxy.cfg".',
  ],
  [
    "a line break in the balancer's entry",
    '{"balancer": {"entry_addition": "a\\nb"}}',
    'balancer.entry_addition (line 1) is not allowed: found "a\\nb"; allowed: one line of text; default: "send-proxy".',
  ],
  [
    'a negative number of players',
    '{"max_online_players": -1}',
    'max_online_players (line 1) is too small (at least 0): found -1; allowed: a whole number from 0 to 10000000 players; default: 100.',
  ],
];
