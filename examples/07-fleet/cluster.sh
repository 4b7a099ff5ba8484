#!/bin/sh
# Brings up a PostgreSQL server and a Slurm of two nodes in a temporary folder, on this machine and for this machine alone, runs a command there, and
# takes everything down again, however the command ends.
#
#   ./cluster.sh COMMAND [ARGUMENT...]
#
# The command finds TARE_STORE in its environment (the database), and CLUSTER (the folder, with slurm.conf and logs). Debian's packages: postgresql munge
# slurmctld slurmd slurm-client.
set -u
[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT...]" >&2; exit 2; }

missing=
for program in munged slurmctld slurmd sbatch setpriv; do
    PATH=$PATH:/usr/sbin command -v "$program" > /dev/null || missing="$missing $program"
done
pg=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | tail -n 1)
[ -n "$pg" ] || missing="$missing initdb"
if [ -n "$missing" ]; then
    echo "$0: these programs are missing:$missing (Debian: apt-get install postgresql munge slurmctld slurmd slurm-client)" >&2
    exit 2
fi
PATH=$PATH:/usr/sbin

CLUSTER=$(mktemp -d)
export CLUSTER
chmod 755 "$CLUSTER"
# Neither server runs as root: each then as the user that its package made.
as_user() {
    user=$1
    shift
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid="$user" --regid="$user" --init-groups "$@"
    else
        "$@"
    fi
}
# The same in the background: $! is the program itself.
start_as() {
    user=$1
    shift
    [ "$(id -u)" != 0 ] || exec setpriv --reuid="$user" --regid="$user" --init-groups "$@"
    exec "$@"
}
owned_by() {
    mkdir -p "$2"
    chmod 700 "$2"
    [ "$(id -u)" != 0 ] || chown "$1:" "$2"
}

pids=
down() {
    trap '' INT TERM HUP
    scancel --user="$(id -un)" > /dev/null 2>&1
    # Tasks end with their daemons' help.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$(squeue --noheader 2> /dev/null)" ] || break
        sleep 1
    done
    for pid in $pids; do kill "$pid" 2> /dev/null; done
    for pid in $pids; do wait "$pid" 2> /dev/null; done
    as_user postgres "$pg/pg_ctl" -D "$CLUSTER/postgresql/data" -m immediate stop > /dev/null 2>&1
    cd /
    [ -n "${KEEP:-}" ] || rm -rf "$CLUSTER"
}
trap down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# A port that nobody has. Another program may take it in between; then that server says so.
port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
until_it_answers() {
    for _ in $(seq 60); do
        "$@" > /dev/null 2>&1 && return
        sleep 0.5
    done
    echo "$0: this doesn't come up: $*" >&2
    tail -n 5 "$CLUSTER"/*.log "$CLUSTER"/postgresql/log >&2
    exit 4
}

owned_by postgres "$CLUSTER/postgresql"
pgport=$(port)
cd /
as_user postgres "$pg/initdb" -D "$CLUSTER/postgresql/data" -U tare --auth=trust --no-sync -E UTF8 --locale=C > /dev/null || exit 4
as_user postgres "$pg/pg_ctl" -D "$CLUSTER/postgresql/data" -w -l "$CLUSTER/postgresql/log" \
    -o "-p $pgport -k $CLUSTER/postgresql -h 127.0.0.1" start > /dev/null || exit 4
as_user postgres "$pg/createdb" -h 127.0.0.1 -p "$pgport" -U tare tare || exit 4
TARE_STORE=postgres://tare@127.0.0.1:$pgport/tare
export TARE_STORE PGPORT_OF_CLUSTER="$pgport" PG_OF_CLUSTER="$pg"

owned_by munge "$CLUSTER/munge"
# The socket is for everybody, the key isn't.
chmod 755 "$CLUSTER/munge"
as_user munge sh -c "umask 077; head -c 128 /dev/urandom > $CLUSTER/munge/key"
start_as munge munged --foreground --force --key-file="$CLUSTER/munge/key" --socket="$CLUSTER/munge/socket" --pid-file="$CLUSTER/munge/pid" \
    --log-file="$CLUSTER/munge/log" --seed-file="$CLUSTER/munge/seed" > "$CLUSTER/munged.log" 2>&1 &
pids="$pids $!"

host=$(hostname -s)
mkdir -p "$CLUSTER/state" "$CLUSTER/n1" "$CLUSTER/n2"
cat > "$CLUSTER/slurm.conf" <<EOF
ClusterName=tare
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge/socket
CredType=cred/munge
SlurmctldPort=$(port)
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/%n/slurmd.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdLogFile=$CLUSTER/slurmd-%n.log
SlurmdSpoolDir=$CLUSTER/%n
StateSaveLocation=$CLUSTER/state
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=1,sched_interval=2
ReturnToService=2
KillWait=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 RealMemory=256 Feature=plain
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 RealMemory=256 Feature=plain
PartitionName=bench Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
EOF
SLURM_CONF=$CLUSTER/slurm.conf
export SLURM_CONF
until_it_answers munge -n -S "$CLUSTER/munge/socket"
slurmctld -D -i -f "$SLURM_CONF" > "$CLUSTER/slurmctld.out.log" 2>&1 &
echo $! > "$CLUSTER/slurmctld.started"
pids="$pids $!"
for node in n1 n2; do
    slurmd -D -N "$node" -f "$SLURM_CONF" > "$CLUSTER/slurmd-$node.out.log" 2>&1 &
    pids="$pids $!"
done
both_idle() {
    [ "$(sinfo --noheader --Node --states=idle | wc -l)" = 2 ]
}
until_it_answers both_idle
cd "$OLDPWD" 2> /dev/null || cd - > /dev/null
"$@" &
command=$!
# What comes from outside goes to the command first, which takes its jobs back.
trap 'kill -INT $command 2> /dev/null; wait $command; exit 130' INT
trap 'kill -TERM $command 2> /dev/null; wait $command; exit 143' TERM HUP
wait "$command"
exit $?
