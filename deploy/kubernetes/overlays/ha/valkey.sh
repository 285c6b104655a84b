#!/bin/sh
# Runs a Valkey, or with `sentinel` its sentinel. The sentinels say who is the primary; at the very first start it is number 0.
set -eu
own="$HOSTNAME.valkey"
export REDISCLI_AUTH="$VALKEY_PASSWORD"
for number in 0 1 2; do
  primary=$(timeout 2 valkey-cli -h "valkey-$number.valkey" -p 26379 sentinel get-master-addr-by-name agora 2>/dev/null | head -n 1) || true
  # Nothing else than one of the three, for their name and password are handed to it.
  case "$primary" in
    valkey-[0-2].valkey | valkey-[0-2].valkey.*) primary="${primary%%.*}.valkey" && break ;;
  esac
  primary=
done
primary=${primary:-valkey-0.valkey}
cd /data
if [ "${1:-}" = sentinel ]; then
  cat >sentinel.conf <<END
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $own
sentinel monitor agora $primary 6379 2
sentinel auth-pass agora $VALKEY_PASSWORD
sentinel sentinel-pass $VALKEY_PASSWORD
sentinel down-after-milliseconds agora 3000
sentinel failover-timeout agora 15000
requirepass $VALKEY_PASSWORD
END
  exec valkey-sentinel sentinel.conf
fi
cat >valkey.conf <<END
replica-announce-ip $own
requirepass $VALKEY_PASSWORD
masterauth $VALKEY_PASSWORD
save ""
maxmemory 128mb
maxmemory-policy allkeys-lru
END
[ "$primary" = "$own" ] || echo "replicaof $primary 6379" >>valkey.conf
exec valkey-server valkey.conf
