#!/usr/bin/env bash
# Runs a command on ranks of two nodes on this machine: two network namespaces that a pair of interfaces joins, each with
# a host name and a /dev/shm of its own.
# Usage: two_nodes.sh openmpi|mpich [--each LINE] [OPTION OF THE LAUNCHER...] -n RANKS COMMAND [ARGUMENT...]
# --each LINE: a line of the shell that both nodes run first, such as 'ulimit -v 1500000'.
# Exit status 77: there is no launcher of this MPI, or namespaces cannot be made.
set -euo pipefail
mpi=$1
shift
each=:
if [[ ${1:-} == --each ]]; then
  each=$2
  shift 2
fi
launcher=$(command -v "mpirun.$mpi" || true)
[[ -n $launcher ]] || { echo "skipped: no mpirun.$mpi" >&2; exit 77; }
((EUID == 0)) || { echo "skipped: namespaces of the network need root" >&2; exit 77; }
id=$$
work=$(mktemp -d)
trap 'ip netns del "ca$id" 2>/dev/null || true; ip netns del "cb$id" 2>/dev/null || true; rm -rf "$work"' EXIT
ip netns add "ca$id" 2>"$work/why" && ip netns add "cb$id" 2>>"$work/why" ||
  { echo "skipped: $(head -1 "$work/why")" >&2; exit 77; }
ip link add "va$id" netns "ca$id" type veth peer name "vb$id" netns "cb$id"
for side in a b; do
  ip -n "c$side$id" link set lo up
  ip -n "c$side$id" link set "v$side$id" up
done
ip -n "ca$id" addr add 10.77.0.1/24 dev "va$id"
ip -n "cb$id" addr add 10.77.0.2/24 dev "vb$id"
# What a launcher takes for ssh: runs the command at a node.
printf -v first '%s' "mount -t tmpfs none /dev/shm; hostname node\$0; $each"
cat >"$work/shell" <<SHELL
#!/usr/bin/env bash
while [[ \$1 == -* ]]; do shift; done
[[ \$1 == 10.77.0.1 ]] && side=a || side=b
shift
exec ip netns exec c\${side}$id unshare -m -u bash -c $(printf '%q' "$first; eval \"\$@\"") \$side "\$*"
SHELL
chmod +x "$work/shell"
case $mpi in
  openmpi) nodes=(--oversubscribe --allow-run-as-root --host "10.77.0.1:2,10.77.0.2:2" --mca plm_rsh_agent "$work/shell"
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --mca btl "tcp,self,vader"
    --mca orte_keep_fqdn_hostnames 1) ;;
  mpich) nodes=(-hosts "10.77.0.1:2,10.77.0.2:2" -launcher ssh -launcher-exec "$work/shell" -localhost 10.77.0.1) ;;
  *) echo "two_nodes.sh: expected openmpi or mpich, found '$mpi'" >&2; exit 2 ;;
esac
status=0
ip netns exec "ca$id" unshare -m -u bash -c "$first; exec \"\$@\"" a "$launcher" "${nodes[@]}" "$@" || status=$?
exit "$status"
