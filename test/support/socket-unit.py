# Stands in for systemd with a .socket unit and its service: python3 socket-unit.py UNIT PORT COMMAND …
# It listens on the port, with Backlog, NoDelay and DeferAcceptSec of the unit's file, and passes the socket to the command, as descriptor 3. SIGHUP
# restarts the command: SIGTERM, its end, then the next one. SIGTERM ends both.
import configparser, ctypes, os, signal, socket, subprocess, sys

unit = configparser.ConfigParser()
unit.read(sys.argv[1])
options = unit['Socket']

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, options.getboolean('NoDelay'))
listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, options.getint('DeferAcceptSec', 0))
listener.bind(('127.0.0.1', int(sys.argv[2])))
listener.listen(options.getint('Backlog'))
if listener.fileno() != 3:
    os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)


def last_wish():
    # PR_SET_PDEATHSIG: it ends with this process.
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


is_stopping = False
child = None


def stop(number, _):
    global is_stopping
    is_stopping = is_stopping or number == signal.SIGTERM
    if child:
        child.send_signal(signal.SIGTERM)


signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGHUP, stop)
status = 0
while not is_stopping:
    # LISTEN_PID is the process itself.
    command = ['sh', '-c', 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"', 'sh', *sys.argv[3:]]
    child = subprocess.Popen(command, close_fds=False, preexec_fn=last_wish)
    status = child.wait()
    if status != 0:
        break
sys.exit(status)
