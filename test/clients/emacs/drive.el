;;; drive.el --- JSON-RPC with a program, for scripts that drive Parley  -*- lexical-binding: t -*-

;;; Commentary:

;; The scripts of this folder share this file.  It talks to a program on its
;; standard input and output, with headers as ECA has them or one message a
;; line as ACP has them.  A wait that takes too long ends Emacs with an error.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'map)
(require 'seq)

(defvar drive-patience 60 "Seconds after which a wait fails.")

(cl-defstruct drive process framed (rest "") (received nil) (last-id 0)
              ;; Answers the requests of the program: gets method and params.
              (answer #'ignore))

(defun drive-get (value &rest path)
  "The member of VALUE at PATH, or nil."
  (dolist (key path value)
    (setq value (if (integerp key) (seq-elt value key) (map-elt value key)))))

(defun drive-start (command directory framed)
  "Start COMMAND in DIRECTORY; FRAMED says whether messages have headers."
  (let* ((default-directory (file-name-as-directory directory))
         (drive (make-drive :framed framed)))
    (setf (drive-process drive)
          (make-process :name "parley" :command command :coding 'binary :connection-type 'pipe
                        :noquery t :stderr (get-buffer-create "*stderr*")
                        :filter (lambda (_ text) (drive--take drive text))))
    drive))

(defun drive--take (drive text)
  "Take TEXT that the program of DRIVE has written."
  (setf (drive-rest drive) (concat (drive-rest drive) text))
  (let (body)
    (while (setq body (drive--next drive))
      (let ((message (json-parse-string (decode-coding-string body 'utf-8)
                                        :object-type 'alist :array-type 'list
                                        :null-object nil :false-object nil)))
        (push message (drive-received drive))
        (when (and (drive-get message 'method) (assq 'id message))
          (let ((result (funcall (drive-answer drive)
                                 (drive-get message 'method) (drive-get message 'params))))
            (when result
              (drive--send drive `((id . ,(drive-get message 'id)) (result . ,result))))))))))

(defun drive--next (drive)
  "The next whole message of DRIVE, or nil."
  (let ((text (drive-rest drive)))
    (if (drive-framed drive)
        (when-let* ((end (string-search "\r\n\r\n" text))
                    (start (+ end 4))
                    (size (and (string-match "Content-Length: \\([0-9]+\\)" text)
                               (string-to-number (match-string 1 text))))
                    (whole (>= (length text) (+ start size))))
          (setf (drive-rest drive) (substring text (+ start size)))
          (substring text start (+ start size)))
      (when-let ((end (string-search "\n" text)))
        (setf (drive-rest drive) (substring text (1+ end)))
        (substring text 0 end)))))

(defun drive--send (drive message)
  "Send MESSAGE to the program of DRIVE."
  (let ((body (json-serialize `((jsonrpc . "2.0") ,@message) :null-object nil)))
    (process-send-string (drive-process drive)
                         (if (drive-framed drive)
                             (format "Content-Length: %d\r\n\r\n%s" (string-bytes body) body)
                           (concat body "\n")))))

(defun drive-notify (drive method params)
  "Tell the program of DRIVE METHOD with PARAMS."
  (drive--send drive `((method . ,method) (params . ,params))))

(defun drive-begin (drive method params)
  "Request METHOD with PARAMS; return the id, for `drive-result'."
  (let ((id (cl-incf (drive-last-id drive))))
    (drive--send drive `((id . ,id) (method . ,method) (params . ,params)))
    id))

(defun drive-result (drive id)
  "Wait for the result of the request ID; an error of the program is one here."
  (let ((message (drive-wait drive (lambda (each)
                                     (and (equal (drive-get each 'id) id)
                                          (not (drive-get each 'method)))))))
    (when (drive-get message 'error) (error "Request %s failed: %S" id message))
    (drive-get message 'result)))

(defun drive-request (drive method params)
  "Request METHOD with PARAMS and wait for the result."
  (drive-result drive (drive-begin drive method params)))

(defun drive-wait (drive fits)
  "Wait for a message that FITS, among all that came, and return it."
  (drive-until (lambda () (seq-find fits (drive-received drive)))))

(defun drive-until (condition)
  "Wait until CONDITION returns something, and return it."
  (let ((end (+ (float-time) drive-patience))
        found)
    (while (not (setq found (funcall condition)))
      (when (> (float-time) end)
        (error "Nothing came within %d seconds.  Standard error: %s" drive-patience
               (with-current-buffer (get-buffer-create "*stderr*") (buffer-string))))
      (accept-process-output nil 0.05))
    found))

(defun drive-end (drive)
  "Wait until the program of DRIVE has ended, and check that it went well."
  (drive-until (lambda () (not (process-live-p (drive-process drive)))))
  (drive-check (zerop (process-exit-status (drive-process drive))) "the program ends with code 0"))

(defun drive-check (truth text)
  "Print TEXT if TRUTH; else it is an error."
  (unless truth (error "Not so: %s" text))
  (princ (format "ok: %s\n" text)))

(defun drive-command (&rest args)
  "The command that starts Parley with ARGS."
  (append (list (getenv "DRIVE_NODE") (getenv "DRIVE_PARLEY")) args))

(defun drive-file (name)
  "The path of NAME in the workspace."
  (expand-file-name name (getenv "DRIVE_WORKSPACE")))

(provide 'drive)
;;; drive.el ends here
